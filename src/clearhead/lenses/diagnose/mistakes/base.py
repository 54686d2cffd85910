"""What a mistake is: the reference with one step done otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearhead.lenses.diagnose.pipeline import Change, Do, Run


@dataclass(frozen=True)
class Mistake:
    """A way in which attention is known to be written wrong.

    Attributes:
        name: what it is called, in words joined by hyphens.
        step: the first quantity that comes out otherwise, by its standard name.
        says: what is done instead, a clause that follows "it": "divides ...".
        seen: where it is met.
        mend: the usual way to mend it, a sentence.
        changes: the steps that are done otherwise.
    """

    name: str
    step: str
    says: str
    seen: str
    mend: str
    changes: Mapping[str, Change]


def visible(scores: np.ndarray, *allowed: np.ndarray) -> np.ndarray:
    """True where a score is let through, the shape of the scores; all that hides stands in one table."""
    return np.broadcast_to(allowed[0] != 0 if allowed else np.True_, scores.shape)


def seeing(change: Any) -> Change:
    """A mask done otherwise: `change(run, seen)` gives what is seen instead. Without a mask: nothing."""

    def masked(run: Run, do: Do, operation: Any, scores: np.ndarray, *allowed: np.ndarray) -> np.ndarray:
        if not allowed:
            return do(operation, scores)
        seen = change(run, visible(scores, *allowed))
        return do(operation, scores, np.asarray(seen))

    return masked


def filled(fill: Any) -> Change:
    """A hidden score becomes something else than −∞: `fill(scores, seen)` gives all of the masked scores."""

    def masked(run: Run, do: Do, operation: Any, scores: np.ndarray, *allowed: np.ndarray) -> np.ndarray:
        return np.asarray(fill(scores, visible(scores, *allowed)))

    return masked


def on_result(change: Any) -> Change:
    """What comes out of a step is changed afterwards: `change(run, result)`."""

    def changed(run: Run, do: Do, operation: Any, *inputs: np.ndarray) -> np.ndarray:
        return np.asarray(change(run, do(operation, *inputs)))

    return changed


def instead(change: Any) -> Change:
    """Something else is done with the inputs: `change(run, *inputs)`."""

    def changed(run: Run, do: Do, operation: Any, *inputs: np.ndarray) -> np.ndarray:
        return np.asarray(change(run, *inputs))

    return changed


def on_inputs(change: Any) -> Change:
    """The step is done with other inputs: `change(run, *inputs)` gives them."""

    def changed(run: Run, do: Do, operation: Any, *inputs: np.ndarray) -> np.ndarray:
        return do(operation, *change(run, *inputs))

    return changed


def skip(run: Run, do: Do, operation: Any, first: np.ndarray, *others: np.ndarray) -> np.ndarray:
    """The step is left out."""
    return first


def over(axis: int) -> Change:
    """A softmax along another axis than the last."""

    def changed(run: Run, do: Do, operation: Any, masked: np.ndarray) -> np.ndarray:
        return do(operation, masked.swapaxes(axis, -1)).swapaxes(axis, -1)

    return changed
