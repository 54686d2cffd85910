"""How weights are off: each of these is said only if it holds in every answer that was seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from clearhead.lenses.diagnose.seen import CLEAR, Known, Seen, centred, most


def sums(known: Known) -> str:
    """What the rows add up to, and whether they are the right ones by a factor."""
    found = np.concatenate([one.mine.sum(axis=-1).ravel() for one in known])
    by_row = ", each row by one factor" if all(_by_row(one) for one in known) else ""
    if np.ptp(found) <= CLEAR:
        return f"rows add up to {found[0]:.4g}{by_row}"
    return f"rows add up to between {found.min():.4g} and {found.max():.4g}{by_row}"


def _by_row(one: Seen) -> bool:
    ratios = np.divide(one.mine, one.right, where=one.right > CLEAR, out=np.full(one.right.shape, np.nan))
    steady = np.nanmax(ratios, axis=-1) - np.nanmin(ratios, axis=-1)
    return bool(most(steady) <= CLEAR)


def cells(known: Known, which: Callable[[Seen], np.ndarray], verb: str) -> str:
    """Which cells are let through or hidden."""
    after = [np.subtract(*np.ogrid[: one.right.shape[-2], : one.right.shape[-1]]) for one in known]
    places = (
        (f"only later keys are {verb}", [query_less_key < 0 for query_less_key in after]),
        (f"only a position's own key is {verb}", [query_less_key == 0 for query_less_key in after]),
        (f"only earlier keys are {verb}", [query_less_key > 0 for query_less_key in after]),
    )
    for says, place in places:
        if not any((which(one) & ~here).any() for one, here in zip(known, place, strict=True)):
            return says
    return f"keys are {verb} that should not be"


def factor_of_scores(known: Known) -> str:
    """By which factor the scores are off, if it is one for all, or one for each head and sentence.

    It may be another in other sizes, as where the root of another width is taken.
    """
    sizes: dict[tuple[int, ...], list[Seen]] = {}
    for one in known:
        sizes.setdefault((*one.right.shape[-2:], one.asking.reference.d_head), []).append(one)
    ratios = [_ratio(alike[0]) for alike in sizes.values()]
    if all(_softened(alike, ratio) for alike, ratio in zip(sizes.values(), ratios, strict=True)):
        return _factor(ratios, [shape[-1] for shape in sizes], known[0].asking.case.spec.scale)
    by_head = [_by_head(alike[0]) for alike in sizes.values()]
    if not all(_softened(alike, ratio) for alike, ratio in zip(sizes.values(), by_head, strict=True)):
        return ""
    others = np.concatenate([one[np.abs(one - 1) > CLEAR] for one in by_head])
    if np.ptp(others) <= CLEAR:
        return f"some scores are {others[0]:.4g} times what they should be"
    return "the scores have another factor in each head or sentence"


def _factor(ratios: Sequence[float], widths: Sequence[int], scale: float | None) -> str:
    """Divided by one number, or by a power of the width of a head; else by how much, which may go with the sizes.

    Args:
        ratios: of the scores to the right ones, in each size.
        widths: of a head, in each size.
        scale: what scores are to be multiplied by; None: divided by root(d_head).
    """
    right = 1 / np.sqrt(widths) if scale is None else np.full(len(widths), scale)
    divisors = 1 / (right * ratios)
    if np.ptp(widths) > 0 and scale is None and np.ptp(divisors) <= CLEAR * abs(divisors[0]):
        square = divisors[0] ** 2
        root = f", the root of {square:.0f}" if abs(square - round(square)) <= CLEAR * square else ""
        return f"the scores are divided by {divisors[0]:.4g}{root}, whatever the width of a head"
    if np.ptp(widths) > 0 and (divisors > 0).all():
        powers = np.log(divisors) / np.log(widths)
        if np.ptp(powers) <= CLEAR:
            meant = "not of 0.5" if scale is None else f"not multiplied by {scale:.4g}"
            return f"the scores are divided by d_head to the power of {powers[0]:.3g}, {meant}"
    found = [ratio for ratio in ratios if abs(ratio - 1) > CLEAR] or ratios
    return f"the scores are {_range(found)} times what they should be"


def _range(values: Sequence[float]) -> str:
    low, high = f"{min(values):.4g}", f"{max(values):.4g}"
    return (
        low
        if low == high or max(values) - min(values) <= CLEAR * max(1.0, abs(max(values)))
        else f"between {low} and {high}"
    )


def _ratio(one: Seen) -> float:
    products, squares = _products(one)
    return float(products.sum() / squares.sum())


def _by_head(one: Seen) -> np.ndarray:
    """(batch, heads, 1, 1)."""
    products, squares = _products(one)
    return np.asarray(products.sum(axis=(-2, -1), keepdims=True) / squares.sum(axis=(-2, -1), keepdims=True))


def _products(one: Seen) -> tuple[np.ndarray, np.ndarray]:
    told = one.told
    logs, scores = centred(one.logarithms, told), centred(one.scores, told)
    return logs * scores, np.maximum(scores**2, 1e-300)


def _softened(known: Known, ratio: np.ndarray | float) -> bool:
    """Whether the weights are those of the scores times this."""
    return all(one.has_weights_of(one.scores * ratio) for one in known)
