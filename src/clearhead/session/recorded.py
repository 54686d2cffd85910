"""A recorded training of a person's own model: its losses, and the size of its parameters at one saved step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from clearhead.messages import ParameterSize, Recorded
from clearhead.session.remembered import Remembered
from clearhead.session.states import state_of
from clearhead.session.view import View
from clearhead.sources.worked import ExampleError
from clearhead.trace.recording import Checkpoint, Recording, RecordingError

MOST_NUMBERS = 2**26
"""Numbers of all parameters up to which their sizes are told; of more, reading them would keep a page waiting."""

CHECKPOINTS_KEPT = 2
"""The first step, which the others are compared with, and the present one."""

MODEL = "model/"
"""What the names of a PyTorch model's own arrays begin with; see `clearhead.sources.training.pytorch.tree.pack`."""


class RecordedPart:
    """Answers about one recording. What it remembers only saves time."""

    def __init__(self, recording: Recording | None) -> None:
        self._recording = recording
        self._checkpoints: Remembered[Checkpoint] = Remembered(CHECKPOINTS_KEPT)

    def recording(self, message: Mapping[str, Any]) -> View:
        """The step that the state names, or the last saved one before it."""
        recording = self._recording
        if recording is None or not (saved := recording.steps):
            raise ExampleError("recording", "there is none here; expected clearhead.show of one")
        asked = state_of(message, "state").get("step", saved[-1])
        if type(asked) is not int or asked < 0:
            raise ExampleError("step", f"expected a whole number from 0, got {asked!r}")
        step = max((one for one in saved if one <= asked), default=saved[0])
        try:
            now, first = self._checkpoint(step), self._checkpoint(saved[0])
            losses = recording.losses
        except RecordingError as error:
            raise ExampleError("recording", str(error)) from None
        data = Recorded(
            kind="recording", title=f"The training in {recording.path.name}", facts=list(_facts(recording.header)),
            losses=0, saved=saved, step=step, parameters=list(_parameters(now, first)),
        )  # fmt: skip
        return View(data, [losses])

    def _checkpoint(self, step: int) -> Checkpoint:
        assert self._recording is not None  # whoever asks has one
        return self._checkpoints.of(step, lambda: self._recording.checkpoint(step))  # type: ignore[union-attr]


def _facts(header: Mapping[str, Any]) -> Iterator[str]:
    """What was said about the training when it began."""
    if kind := header.get("kind"):
        yield f"Recorded with PyTorch {header['torch']}." if "torch" in header else f"{kind}."
    if (ranks := header.get("ranks", 1)) != 1:
        yield f"{ranks} processes trained it together; its losses are means over them."
    about = header.get("about")
    for name, value in about.items() if isinstance(about, Mapping) else ():
        yield f"{name}: {value}"


def _parameters(now: Checkpoint, first: Checkpoint) -> Iterator[ParameterSize]:
    """The model's arrays, or all where none is said to be a model's."""
    names = [name for name in now.arrays if name.startswith(MODEL)] or list(now.arrays)
    few = sum(now.arrays[name].size for name in names) <= MOST_NUMBERS
    for name in names:
        values, before = now.arrays[name], first.arrays.get(name)
        yield ParameterSize(
            name=name.removeprefix(MODEL),
            shape=list(values.shape),
            size=_known(_length(values) / values.size**0.5) if few and values.size else None,
            moved=_moved(values, before) if few else None,
        )


def _moved(values: np.ndarray, before: np.ndarray | None) -> float | None:
    """How far from what it was, as a part of that; None where it was nothing, or had another shape."""
    if before is None or before.shape != values.shape or not (length := _length(before)):
        return None
    return _known(_length(values.astype(np.float64) - before) / length)


def _known(number: float) -> float | None:
    """A number that JSON can hold: a mask among the arrays holds −∞."""
    return number if np.isfinite(number) else None


def _length(values: np.ndarray) -> float:
    return float(np.linalg.norm(values.astype(np.float64).ravel()))
