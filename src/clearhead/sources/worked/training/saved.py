"""Training runs as folders: see `clearhead.trace.recording` for their form."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from clearhead.core.optimise import Optimiser
from clearhead.sources.worked.example import SWITCHES, Example
from clearhead.sources.worked.matrices import whole
from clearhead.sources.worked.training.corpus import read_corpus
from clearhead.sources.worked.training.learner import Learner
from clearhead.sources.worked.training.run import TrainingRun
from clearhead.trace.recording import Checkpoint, Recording, RecordingError

KIND = "clearhead training run"
PARAMETER, MEMORY, UNUSED = "parameter:", "memory:", "unused:"
"""What stands before the names of arrays: the model's, the optimiser's, and those its switches have no use for."""

TEXTS = ("title", "look_for", "name")


class Saver:
    """Saves a run, step by step, while it is made."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._newest: int | None = None

    @classmethod
    def begin(cls, run: TrainingRun, path: str | Path) -> Saver:
        """Begin in a new or empty folder, with the model before its first step.

        Raises:
            RecordingError: the folder holds something already.
            SavingError: it cannot be made or written to.
        """
        saver = cls(Recording.create(path, _header(run)))
        first = run.snapshots[min(run.snapshots)]
        unused = {
            UNUSED + name: value
            for name, value in run.start.parameters.items()
            if name not in first.parameters
        }
        saver.save(run, first, unused)
        return saver

    @classmethod
    def open(cls, path: str | Path) -> Saver:
        """Go on in the folder of a run.

        Raises:
            RecordingError: it holds none.
        """
        return cls(Recording.open(path))

    def save(
        self, run: TrainingRun, learner: Learner, unused: Mapping[str, np.ndarray] | None = None
    ) -> None:
        """Save the model after some steps, once.

        Raises:
            SavingError: it cannot be written; nothing that was saved before is touched.
        """
        if self._newest is not None and learner.step <= self._newest:
            return
        arrays = {PARAMETER + name: value for name, value in learner.parameters.items()}
        arrays |= {MEMORY + name: value for name, value in learner.memory.items()} | dict(unused or {})
        state = {"random": learner.random, "first_loss": learner.first_loss}
        self._recording.save(learner.step, arrays, run.losses[: learner.step], state)
        self._newest = learner.step


def save_run(run: TrainingRun, path: str | Path) -> None:
    """Save a whole run; see `TrainingRun.save`."""
    saver = Saver.begin(run, path)
    for step in run.recorded:
        saver.save(run, run.snapshots[step])


def load_run(path: str | Path) -> TrainingRun:
    """Read a run that was saved; every number is as it was. Steps whose files are damaged are left out.

    Raises:
        RecordingError: the folder holds no run, or nothing of it can be read; the message says what was expected.
    """
    recording = Recording.open(path)
    if recording.header.get("kind") != KIND:
        raise RecordingError(
            f"{recording.path}: holds another kind of recording; expected one of clearhead.train"
        )
    newest, damage = recording.newest()
    if newest is None:
        raise RecordingError("; ".join(damage) or f"{recording.path}: nothing was saved here")
    saved = []
    for step in recording.steps:
        with suppress(RecordingError):  # a damaged step is one that was not recorded
            saved.append(recording.checkpoint(step))
    try:
        run = _begun(recording.header, saved[0])
        run.losses = [float(loss) for loss in newest.losses]
        run.snapshots = {checkpoint.step: _learner(checkpoint) for checkpoint in saved}
    except (LookupError, ValueError, TypeError, AttributeError) as problem:
        said = f"{recording.path}: what was saved does not fit together ({problem}); expected it as it was written"
        raise RecordingError(said) from None
    return run


def _header(run: TrainingRun) -> dict[str, Any]:
    start = run.start
    return {
        "kind": KIND, "tokens": start.tokens, "vocabulary": start.vocabulary, "layers": len(start.layer_weights),
        "switches": {name: getattr(start, name) for name in SWITCHES},
        "texts": {name: getattr(start, name) for name in TEXTS},
        "optimiser": asdict(run.optimiser), "sentences": [list(sentence) for sentence in run.sentences],
        "batch": run.batch,
    }  # fmt: skip


def _begun(header: Mapping[str, Any], first: Checkpoint) -> TrainingRun:
    """The run before its first step, from the header and the first file that can be read."""
    given = {
        name.removeprefix(kind): values
        for name, values in first.arrays.items()
        for kind in (PARAMETER, UNUSED)
        if name.startswith(kind)
    }
    optimiser = header["optimiser"] | {"betas": tuple(header["optimiser"]["betas"])}
    start = Example.of_parameters(
        given, tokens=header["tokens"], vocabulary=header["vocabulary"], layers=header["layers"],
        **header["switches"], **header["texts"],
    )  # fmt: skip
    batch = None if header["batch"] is None else whole("batch", header["batch"], 1)
    run = TrainingRun(start, Optimiser(**optimiser), header["sentences"], batch)
    read_corpus(run.sentences, start.vocabulary)
    return run


def _learner(saved: Checkpoint) -> Learner:
    def of(kind: str) -> dict[str, np.ndarray]:
        return {
            name.removeprefix(kind): values for name, values in saved.arrays.items() if name.startswith(kind)
        }

    return Learner(saved.step, of(PARAMETER), of(MEMORY), saved.state["random"], saved.state["first_loss"])
