"""Training the example on its own sentence: the losses, and the words drifting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from clearhead.lenses.drift import cosines, projection
from clearhead.messages import Training
from clearhead.session.states import States, state_of
from clearhead.session.view import View
from clearhead.sources.worked.training.run import TrainingRun

MOST_COSINES = 200_000
"""Numbers a reply holds of how alike words are; with more words it holds fewer moments."""

MOST_MOMENTS = 201


def training(states: States, message: Mapping[str, Any]) -> View:
    """The whole training that the state asks for."""
    run = states.training(state_of(message, "state"))
    moments = _moments(run.recorded, len(run.start.E))
    tables = [run.snapshots[step].parameters["E"] for step in moments]
    points, explained = projection(tables)
    data = Training(
        kind="training",
        words=list(run.start.vocabulary),
        losses=0,
        recorded=moments,
        points=1,
        explained=list(explained),
        cosines=2,
        sentences=[" ".join(sentence) for sentence in run.sentences],
        stopped=run.stopped,
    )
    return View(data, [_losses(run), points, cosines(tables)])


def _moments(recorded: Sequence[int], words: int) -> list[int]:
    """The recorded steps that are shown: all, or as many as can be, the first and the last among them."""
    most = min(MOST_MOMENTS, max(2, MOST_COSINES // words**2))
    if len(recorded) <= most:
        return list(recorded)
    chosen = np.linspace(0, len(recorded) - 1, most).round().astype(int)
    return [recorded[place] for place in dict.fromkeys(chosen.tolist())]


def _losses(run: TrainingRun) -> np.ndarray:
    """The loss before each update, and after the last one."""
    return np.array([*run.losses, run.final_loss])
