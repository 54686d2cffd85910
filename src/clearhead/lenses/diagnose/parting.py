"""Where numbers part that nothing known explains: the first step that comes out otherwise, how far, in what pattern."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.lenses.diagnose.bounding import bounded
from clearhead.lenses.diagnose.distance import by_distance
from clearhead.lenses.diagnose.norming import normed
from clearhead.lenses.diagnose.patterns import cells, factor_of_scores, sums
from clearhead.lenses.diagnose.places import copied, lies, place
from clearhead.lenses.diagnose.seen import Known, Seen, most

WHERE = {
    "large": "where scores are large",
    "high": "where scores are large",
    "low": "where scores are far below 0",
    "lower": "where scores are far below 0",
    "other sizes": "with other sizes",
    "many positions": "with many positions",
    "other keys": "with more keys than queries",
    "padded": "with padding",
    "hidden cells": "with a mask that is handed over",
}
"""What is special about a question, by the last words of its name."""


NO_NUMBERS = "some are NaN where the reference has numbers"


@dataclass(frozen=True)
class Parting:
    """Where a function and the reference part.

    Attributes:
        step: the first quantity that comes out otherwise: scores, scaled, masked, weights, mixed, or output where no
            more can be told.
        pattern: how the differences lie, a clause, or nothing where they lie anywhere.
        off: the largest difference of the weights, or of the output where the weights are not known or are right.
    """

    step: str
    pattern: str
    off: float


def parting(seen: Sequence[Seen], wrong: Sequence[Seen]) -> Parting:
    """Where the numbers part.

    Args:
        seen: every answer.
        wrong: those that rounding does not explain, at least one; the first says where.
    """
    first, where = wrong[0], _where(seen, wrong)
    if lost := [one for one in wrong if one.lost]:
        return Parting(
            "output" if "W_O" in first.asking.case.weights else "mixed",
            _both(NO_NUMBERS, _where(seen, lost)),
            np.inf,
        )
    by = most(first.asking.output - first.asking.reference.values["output"])
    if first.weights is None:
        return Parting("output", _both(lies(wrong), where), by)
    off = first.weights - first.right
    if most(off) <= first.clear and np.isfinite(first.weights).all():
        return Parting("mixed", _both(lies(wrong), where), by)
    if not first.blends:
        last = "W_O" in first.asking.case.weights
        says = "no weights that are the same for all features give these numbers"
        return Parting(
            "output" if last else "mixed", _both(copied(wrong) or ("" if last else says), where), by
        )
    known = [one for one in seen if one.weights is not None and np.isfinite(one.weights).all() and one.blends]
    known = [one for one in known if one is first or one.readable]
    step, pattern = _step(first, known)
    placed = place([(one.weights, one.right) for one in wrong if one.weights is not None])
    by = most(off) if np.isfinite(first.weights).all() else np.inf
    return Parting(step, _both(pattern, placed, where), by)


def _both(*clauses: str) -> str:
    return ", ".join(filter(None, clauses))


def _where(seen: Sequence[Seen], wrong: Sequence[Seen]) -> str:
    """What the questions have in common that are answered otherwise, where others are answered right."""
    special = [WHERE.get(one.asking.case.probe.rpartition(", ")[2], "") for one in wrong]
    if len(wrong) == len(seen) or not all(special):
        return ""
    return f"only {' or '.join(dict.fromkeys(special))}"


def _step(first: Seen, known: Known) -> tuple[str, str]:
    """The first step that explains other weights, and the pattern if the step shows one."""
    weights = first.weights
    assert weights is not None
    if not np.isfinite(weights).all():
        return "weights", "some are no finite numbers"
    if (weights < -first.clear).any():
        return "weights", "some are below 0"
    for axis, says in (
        (-2, "the columns add up to 1, not the rows"),
        (-3, "the heads of a cell add up to 1"),
    ):
        if weights.shape[axis] > 1 and all(_ones(one, axis) for one in known) and not _ones(first, -1):
            return "weights", says
    if _let_through(first).any():
        return "masked", cells(known, _let_through, "let through")
    if not _ones(first, -1):
        return "weights", sums(known)
    if _unseen(first).any():
        return _unseen_at(first, known)
    if says := factor_of_scores(known):
        return "scaled", says
    return "scores", normed(first, known) or bounded(first, known) or by_distance(first, known)


def _ones(one: Seen, axis: int) -> bool:
    assert one.weights is not None
    return bool(np.abs(one.weights.sum(axis=axis) - 1).max(initial=0.0) <= one.clear)


def _let_through(one: Seen) -> np.ndarray:
    assert one.weights is not None
    return (one.weights > one.clear) & ~one.visible


def _unseen(one: Seen) -> np.ndarray:
    assert one.weights is not None
    return (one.weights == 0) & one.visible & (one.right > one.clear)


def _unseen_at(first: Seen, known: Known) -> tuple[str, str]:
    """Hidden, where the other weights are those of the same scores; otherwise something else makes them 0."""
    assert first.weights is not None
    left = np.where(_unseen(first), 0.0, first.right)
    left = left / np.maximum(left.sum(axis=-1, keepdims=True), 1e-300)
    if most(left - first.weights) <= first.clear:
        return "masked", cells(known, _unseen, "hidden")
    return "weights", "some are 0 that should not be"
