"""What explains the answers: the reference, the reference with one mistake, or with two."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clearhead.lenses.diagnose.asking import Asking, Explanation, apart, expected, fits
from clearhead.lenses.diagnose.mistakes import LIBRARY, Mistake
from clearhead.lenses.diagnose.pairs import pairs
from clearhead.lenses.diagnose.rounding import EPSILON, rounded


def explanations(askings: Sequence[Asking], most: int = 2) -> list[Explanation]:
    """Everything that explains all answers with the fewest mistakes and the finest type; none, where nothing does.

    Args:
        askings: the cases with their answers, the most telling first.
        most: how many mistakes at once.
    """
    applicable = [one for one in LIBRARY if any(matters(asking, one) for asking in askings)]
    types = _types(askings)
    for dtype in EPSILON:
        right = fits(askings, (), dtype)
        found = [one for one in applicable if dtype in types]
        single = [known for one in found if (known := fits(askings, (one,), dtype))]
        if right:
            return [right, *(one for one in single if one.error < right.error / 100)]
        if single:
            return single
    for dtype in types if most > 1 else ():
        if both := pairs(askings, applicable, dtype):
            return both
    return []


def _types(askings: Sequence[Asking]) -> list[str]:
    """The types that may have been computed in; a short one only where every answer is a number of it."""
    return [
        dtype
        for dtype in EPSILON
        if EPSILON[dtype] <= EPSILON["float32"]
        or all(np.array_equal(rounded(one.output, dtype), one.output, equal_nan=True) for one in askings)
    ]


def matters(asking: Asking, mistake: Mistake) -> bool:
    """Whether the mistake changes anything here; one that concerns a step that is not taken does not."""
    if mistake.step not in asking.reference.values:
        return False
    found = expected(asking, (mistake,))
    if found is None:
        return False
    right = asking.reference.values["output"]
    size = float(np.abs(right).max(initial=0.0, where=np.isfinite(right)))
    return apart(*found, right) > 1e-11 * size
