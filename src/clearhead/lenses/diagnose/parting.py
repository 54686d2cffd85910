"""Where numbers part that nothing known explains: the first step that comes out otherwise, how far, in what pattern."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.lenses.diagnose.asking import Asking

CLEAR = 1e-4
"""What is off by less than this share of the largest number counts as equal here."""


@dataclass(frozen=True)
class Parting:
    """Where a function and the reference part.

    Attributes:
        step: the first quantity that comes out otherwise: scores, scaled, masked, weights, mixed, or output where no more
            can be told.
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
    if weights is None:
        return Parting(
            "output", _lies(asking.output, right["output"]), _most(asking.output - right["output"])
        )
    off = weights - right["weights"]
    if _most(off) <= CLEAR:
        return Parting("mixed", _lies(asking.output, right["output"]), _most(asking.output - right["output"]))
    step, pattern = _step(weights, asking)
    return Parting(step, pattern or _lies(weights, right["weights"]), _most(off))


def _step(weights: np.ndarray, asking: Asking) -> tuple[str, str]:
    """The first step that explains other weights, and the pattern if the step shows one."""
    right = asking.reference.values
    seen = np.broadcast_to(asking.case.visible(), weights.shape)
    if not np.isfinite(weights).all():
        return "weights", "some are no finite numbers"
    if (weights < -CLEAR).any():
        return "weights", "some are below 0"
    for axis, says in (
        (-2, "the columns add up to 1, not the rows"),
        (-3, "the heads of a cell add up to 1"),
    ):
        if (
            weights.shape[axis] > 1
            and _alike(weights.sum(axis=axis), 1.0)
            and not _alike(weights.sum(axis=-1), 1.0)
        ):
            return "weights", says
    leaking = (weights > CLEAR) & ~seen
    unseen = (weights == 0) & seen & (right["weights"] > CLEAR)
    if leaking.any() or unseen.any():
        return "masked", _cells(leaking if leaking.any() else unseen, leaking.any())
    sums = weights.sum(axis=-1)
    ratios = np.divide(
        weights, right["weights"], where=right["weights"] > CLEAR, out=np.full(weights.shape, np.nan)
    )
    if not _alike(sums, 1.0):
        steady = np.nanmax(ratios, axis=-1) - np.nanmin(ratios, axis=-1)
        rows = ", each row by one factor" if _most(steady) <= CLEAR else ""
        return "weights", f"rows add up to between {sums.min():.4g} and {sums.max():.4g}{rows}"
    return _before_softmax(weights, right["scaled"], seen)


def _before_softmax(weights: np.ndarray, scaled: np.ndarray, seen: np.ndarray) -> tuple[str, str]:
    """Rows add up to 1: their logarithms are the scores, up to one number for each row."""
    told = seen & (weights > 0)
    logs = _centred(np.log(np.where(told, weights, 1.0)), told)
    scores = _centred(scaled, told)
    if not (np.abs(scores) > CLEAR).any():
        return "scores", ""
    ratio = float((logs * scores).sum() / (scores**2).sum())
    if _most(logs - ratio * scores) <= CLEAR * max(1.0, _most(logs)):
        return "scaled", f"the scores are {ratio:.4g} times what they should be"
    by_head = (logs * scores).sum(axis=(-2, -1)) / np.maximum((scores**2).sum(axis=(-2, -1)), 1e-300)
    if _most(logs - by_head[..., None, None] * scores) <= CLEAR * max(1.0, _most(logs)):
        return "scaled", "the scores have another factor in each head or sentence"
    return "scores", _growing(logs - scores, told)


def _growing(off: np.ndarray, told: np.ndarray) -> str:
    """Whether the scores are further off the further apart two positions stand."""
    queries, keys = off.shape[-2:]
    distance = np.abs(np.subtract.outer(np.arange(queries), np.arange(keys)))
    means = [np.abs(off)[..., distance == d][told[..., distance == d]] for d in range(max(queries, keys))]
    sizes = [float(one.mean()) for one in means if one.size]
    if len(sizes) > 2 and all(b > a for a, b in zip(sizes, sizes[1:], strict=False)):
        return "the difference grows with the distance of two positions"
    return ""


def _centred(values: np.ndarray, told: np.ndarray) -> np.ndarray:
    count = np.maximum(told.sum(axis=-1, keepdims=True), 1)
    mean = np.where(told, values, 0).sum(axis=-1, keepdims=True) / count
    return np.where(told, values - mean, 0.0)


def _cells(cells: np.ndarray, leaking: bool) -> str:
    """Which cells are let through or hidden."""
    queries, keys = cells.shape[-2:]
    query, key = np.ogrid[:queries, :keys]
    verb = "let through" if leaking else "hidden"
    places = (
        (key > query, f"only later keys are {verb}"),
        (key == query, f"only a position's own key is {verb}"),
        (key < query, f"only earlier keys are {verb}"),
        (query == queries - 1, f"only in the last row are keys {verb}"),
    )
    for place, says in places:
        if not (cells & ~place).any():
            return says
    return f"keys are {verb} that should not be"


def _lies(got: np.ndarray, right: np.ndarray) -> str:
    """Where an array is off: in one head, one sentence, one query, or by one factor."""
    off = ~np.isclose(got, right, rtol=CLEAR, atol=CLEAR * max(1.0, _most(right)), equal_nan=True)
    if not off.any() or (off.all(axis=None) and _factor(got, right) is None and off.ndim < 3):
        return ""
    for axis, name in ((0, "sentence"), (1, "head" if off.ndim == 4 else "query"), (2, "query")):
        if axis < off.ndim - 1 and off.shape[axis] > 1:
            others = tuple(place for place in range(off.ndim) if place != axis)
            where = np.flatnonzero(off.any(axis=others))
            if len(where) == 1:
                return f"only {name} {where[0]} is off"
    factor = _factor(got, right)
    return "" if factor is None else f"all numbers are {factor:.4g} times what they should be"


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
