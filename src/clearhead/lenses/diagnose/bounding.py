"""Scores that are kept within bounds; said only if it holds in every answer that was seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from clearhead.lenses.diagnose.seen import Known, Seen

Bound = Callable[[np.ndarray, float], np.ndarray]

CUT: tuple[tuple[str, Bound], ...] = (
    ("scores above {0:.4g} count as {0:.4g}", lambda scores, size: np.minimum(scores, size)),
    ("scores below -{0:.4g} count as -{0:.4g}", lambda scores, size: np.maximum(scores, -size)),
    ("scores are kept between -{0:.4g} and {0:.4g}", lambda scores, size: np.clip(scores, -size, size)),
)
UNITS: tuple[tuple[str, Callable[[Seen], float]], ...] = (
    ("", lambda one: 1.0),
    (" before they are scaled", lambda one: one.scale),
)
LARGEST = 1e4
"""No soft cap is looked for beyond it."""


def bounded(first: Seen, known: Known) -> str:
    """Whether scores are cut off, or bent by a soft cap, as they are scaled or before.

    Where both hold in all that was seen, the rounder number is meant.
    """
    found = [
        says.format(size / unit(first)) + when
        for says, bound, size in _cutting(first)
        for when, unit in UNITS
        if all(one.has_weights_of(bound(one.scores, size / unit(first) * unit(one))) for one in known)
    ]
    return min(found, key=_digits, default="") or _capped(first, known)


def _digits(says: str) -> int:
    return sum(one.isdigit() for one in says)


def _cutting(first: Seen) -> Iterator[tuple[str, Bound, float]]:
    """The cuts that explain this one answer."""
    sizes = sorted({float(f"{size:.5g}") for size in _sizes(first) if size > 0})
    for says, bound in CUT:
        for size in sizes:
            cut = bound(first.scores, size) != first.scores
            # Where a row has none that is left as it is, or none that is cut, nothing tells how large the bound is.
            telling = (first.told & cut).any(axis=-1) & (first.told & ~cut).any(axis=-1)
            if telling.any() and first.has_weights_of(bound(first.scores, size)):
                yield says, bound, size


def _sizes(first: Seen) -> Iterator[float]:
    """How large a bound may be.

    In a row, log(weight) − score is one number for all scores that are left as they are. Each key may be one of these;
    then the largest and the smallest log(weight) less that number are the bounds, if any score is beyond them.
    """
    for told, logarithms, scores in _rows(first):
        for off in (logarithms - scores)[told]:
            yield float(logarithms[told].max() - off)
            yield float(off - logarithms[told].min())


def _capped(first: Seen, known: Known) -> str:
    size = _cap(first)
    cap = f"{size:.4g}"
    if not all(one.has_weights_of(size * np.tanh(one.scores / size)) for one in (first, *known)):
        return ""
    return f"scores are {cap} · tanh(score / {cap}): if a soft cap is meant, check it with soft_cap={cap}"


def _cap(first: Seen) -> float:
    """The cap with which the largest and the smallest score of the widest row are as far apart as they are found."""
    rows = [
        (s[told].max(), s[told].min(), logs[told].max() - logs[told].min()) for told, logs, s in _rows(first)
    ]
    high, low, apart = max(rows, key=lambda row: float(row[0] - row[1]))
    small, large = 1e-2, LARGEST
    for _ in range(60):  # bent less, they are farther apart
        middle = float(np.sqrt(small * large))
        if middle * (np.tanh(high / middle) - np.tanh(low / middle)) < apart:
            small = middle
        else:
            large = middle
    return float(f"{large:.5g}")


def _rows(first: Seen) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Of each row that tells something: which scores can be read, the logarithms of the weights, the right scores."""
    arrays = (
        array.reshape(-1, first.right.shape[-1]) for array in (first.told, first.logarithms, first.scores)
    )
    return (row for row in zip(*arrays, strict=True) if row[0].any())
