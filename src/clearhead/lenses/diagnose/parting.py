"""Where numbers part that nothing known explains: the first step that comes out otherwise, how far, in what pattern."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from clearhead.lenses.diagnose.asking import Asking

CLEAR = 1e-4
"""What is off by less than this share of the largest number counts as equal here."""


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


def parting(asking: Asking, weights: np.ndarray | None) -> Parting:
    """Where the numbers of one case part.

    Args:
        asking: the case and the function's output.
        weights: (batch, heads, queries, keys) the function's own, returned or found out; None where there are none.
    """
    right = asking.reference.values
    by = _most(asking.output - right["output"])
    if weights is None:
        return Parting("output", _lies(asking.output, right["output"]), by)
    off = weights - right["weights"]
    if _most(off) <= CLEAR:
        return Parting("mixed", _lies(asking.output, right["output"]), by)
    if not _blends(asking, weights):
        return Parting("mixed", "no weights that are the same for all features give these numbers", by)
    step, pattern = _step(weights, asking)
    place = _place(weights, right["weights"])
    return Parting(step, ", ".join(filter(None, (pattern, place))), _most(off))


def _blends(asking: Asking, weights: np.ndarray) -> bool:
    """Whether these weights and the values give the output: if not, the two are not simply multiplied and added up."""
    values, spec = asking.reference.values, asking.case.spec
    if spec.joined or asking.case.weights or not np.isfinite(weights).all():
        return True
    mixed = weights @ values.get("V_shared", values["V"])
    return mixed.shape == asking.output.shape and _most(mixed - asking.output) <= 0.01 * _most(asking.output)


def _step(weights: np.ndarray, asking: Asking) -> tuple[str, str]:
    """The first step that explains other weights, and the pattern if the step shows one."""
    right = asking.reference.values
    seen = np.broadcast_to(asking.case.visible(), weights.shape)
    sums = weights.sum(axis=-1)
    if not np.isfinite(weights).all():
        return "weights", "some are no finite numbers"
    if (weights < -CLEAR).any():
        return "weights", "some are below 0"
    for axis, says in (
        (-2, "the columns add up to 1, not the rows"),
        (-3, "the heads of a cell add up to 1"),
    ):
        if weights.shape[axis] > 1 and _alike(weights.sum(axis=axis), 1.0) and not _alike(sums, 1.0):
            return "weights", says
    if ((weights > CLEAR) & ~seen).any():
        return "masked", _cells((weights > CLEAR) & ~seen, "let through")
    if not _alike(sums, 1.0):
        return "weights", _sums(weights, right["weights"])
    told = seen & (weights > 0)
    logs, scores = _centred(_logarithms(weights, told), told), _centred(right["scaled"], told)
    unseen = (weights == 0) & seen & (right["weights"] > CLEAR)
    if unseen.any():
        alike = _most(logs - scores) <= CLEAR * max(1.0, _most(scores))
        return ("masked", _cells(unseen, "hidden")) if alike else ("weights", "some are 0 that should not be")
    return _before_softmax(weights, right["scaled"], told)


def _sums(weights: np.ndarray, right: np.ndarray) -> str:
    """What the rows add up to, and whether they are the right ones by a factor."""
    sums = weights.sum(axis=-1)
    ratios = np.divide(weights, right, where=right > CLEAR, out=np.full(weights.shape, np.nan))
    steady = np.nanmax(ratios, axis=-1) - np.nanmin(ratios, axis=-1)
    by_row = ", each row by one factor" if _most(steady) <= CLEAR else ""
    if _alike(sums, float(sums.flat[0])):
        return f"rows add up to {sums.flat[0]:.4g}{by_row}"
    return f"rows add up to between {sums.min():.4g} and {sums.max():.4g}{by_row}"


def _before_softmax(weights: np.ndarray, scaled: np.ndarray, told: np.ndarray) -> tuple[str, str]:
    """Rows add up to 1: their logarithms are the scores, up to one number for each row."""
    logs, scores = _centred(_logarithms(weights, told), told), _centred(scaled, told)
    if not (np.abs(scores) > CLEAR).any():
        return "scores", ""
    limit = CLEAR * max(1.0, _most(logs))
    products, squares = logs * scores, np.maximum(scores**2, 1e-300)
    ratio = float(products.sum() / squares.sum())
    if _most(logs - ratio * scores) <= limit:
        return "scaled", f"the scores are {ratio:.4g} times what they should be"
    by_head = products.sum(axis=(-2, -1)) / squares.sum(axis=(-2, -1))
    if _most(logs - by_head[..., None, None] * scores) <= limit:
        others = by_head[np.abs(by_head - 1) > CLEAR]
        if np.ptp(others) <= CLEAR:
            return "scaled", f"some scores are {others[0]:.4g} times what they should be"
        return "scaled", "the scores have another factor in each head or sentence"
    return "scores", _growing(_logarithms(weights, told) - scaled, told, limit)


def _growing(off: np.ndarray, told: np.ndarray, limit: float) -> str:
    """How the scores are further off the further apart two positions stand, measured from a position's own score."""
    queries, keys = off.shape[-2:]
    if queries != keys or not np.diagonal(told, axis1=-2, axis2=-1).all():
        return ""
    off = off - np.diagonal(off, axis1=-2, axis2=-1)[..., None]
    distance = np.abs(np.subtract.outer(np.arange(queries), np.arange(keys)))
    each = np.where(told & (distance > 0), off / np.maximum(distance, 1), np.nan)
    slopes = np.nanmean(each, axis=(-2, -1))
    if np.nanmax(np.abs(each - slopes[..., None, None])) <= limit:
        if np.ptp(slopes) <= limit:
            return f"each position of distance changes the score by {slopes.flat[0]:.4g}"
        return "the score changes with the distance, in each head by another number for each position"
    means = [float(np.abs(off[..., distance == d][told[..., distance == d]]).mean()) for d in range(1, keys)]
    if all(b > a for a, b in pairwise(means)):
        return "the difference grows with the distance of two positions"
    return ""


def _logarithms(weights: np.ndarray, told: np.ndarray) -> np.ndarray:
    return np.log(np.where(told, weights, 1.0))


def _centred(values: np.ndarray, told: np.ndarray) -> np.ndarray:
    count = np.maximum(told.sum(axis=-1, keepdims=True), 1)
    mean = np.where(told, values, 0).sum(axis=-1, keepdims=True) / count
    return np.where(told, values - mean, 0.0)


def _cells(cells: np.ndarray, verb: str) -> str:
    """Which cells are let through or hidden."""
    queries, keys = cells.shape[-2:]
    query, key = np.ogrid[:queries, :keys]
    places = (
        (key > query, f"only later keys are {verb}"),
        (key == query, f"only a position's own key is {verb}"),
        (key < query, f"only earlier keys are {verb}"),
    )
    for place, says in places:
        if not (cells & ~place).any():
            return says
    return f"keys are {verb} that should not be"


def _lies(got: np.ndarray, right: np.ndarray) -> str:
    """Where an array is off: in one place, or everywhere by one factor."""
    factor = _factor(got, right)
    return _place(got, right) if factor is None else f"all numbers are {factor:.4g} times what they should be"


def _place(got: np.ndarray, right: np.ndarray) -> str:
    """Whether an array is off in one sentence, one head, or one query alone."""
    off = ~np.isclose(got, right, rtol=CLEAR, atol=CLEAR * max(1.0, _most(right)), equal_nan=True)
    names = ("sentence", "head", "query") if off.ndim == 4 else ("sentence", "query")
    for axis, name in enumerate(names):
        where = np.flatnonzero(off.any(axis=tuple(place for place in range(off.ndim) if place != axis)))
        if len(where) == 1 and off.shape[axis] > 1:
            return f"only {name} {where[0]} is off"
    return ""


def _factor(got: np.ndarray, right: np.ndarray) -> float | None:
    with np.errstate(all="ignore"):
        ratios = (got / right)[np.abs(right) > CLEAR]
    if ratios.size and np.isfinite(ratios).all() and np.ptp(ratios) <= CLEAR * abs(ratios[0]):
        return float(ratios[0])
    return None


def _alike(values: np.ndarray, number: float) -> bool:
    return bool(np.abs(values - number).max(initial=0.0) <= CLEAR)


def _most(values: np.ndarray) -> float:
    sizes = np.abs(values)
    return float(np.max(sizes, initial=0.0, where=~np.isnan(sizes)))
