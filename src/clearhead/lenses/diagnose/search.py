"""What explains the answers: the reference, the reference with one mistake, or with two."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations

import numpy as np

from clearhead.lenses.diagnose.asking import Asking, Explanation, apart, expected, fits
from clearhead.lenses.diagnose.mistakes import LIBRARY, Mistake
from clearhead.lenses.diagnose.pairs import pairs
from clearhead.lenses.diagnose.rounding import EPSILON, ROUNDED, SHORT, TIMES, rounded, rounded_at

SUMS = 2.0**-36
"""What is off by less than this share is float64: sums in another order come so far, a shorter type is further off."""


def explanations(
    askings: Sequence[Asking], most: int = 2, library: Sequence[Mistake] = LIBRARY
) -> list[Explanation]:
    """Everything that explains all answers with the fewest mistakes and the finest type, what fits best first.

    None, where nothing does.

    Args:
        askings: the cases with their answers, the most telling first.
        most: how many mistakes at once.
        library: the mistakes that are tried.
    """
    types = _types(askings)
    right = fits(askings, (), types)
    if right and (right.dtype == types[0] or right.off <= SUMS * max(one.size for one in askings)):
        return [right]
    taken = [one for one in library if any(one.step in asking.reference.values for asking in askings)]
    single = [known for one in taken if (known := fits(askings, (one,), types)) and _matters(askings, one)]
    if found := _finest([*([right] if right else []), *single]):
        return found
    if partly := partly_rounded(askings):
        return [partly]
    return (
        _finest(pairs(askings, [one for one in taken if _matters(askings, one)], types)) if most > 1 else []
    )


def _matters(askings: Sequence[Asking], mistake: Mistake) -> bool:
    return any(matters(asking, mistake) for asking in askings)


def _finest(found: Sequence[Explanation]) -> list[Explanation]:
    """Those of the finest type that leave least open, the best first; the reference alone where it is one of them."""
    order = list(EPSILON)
    finest = min((order.index(one.dtype) for one in found), default=0)
    left = [one for one in found if order.index(one.dtype) == finest]
    least = min((one.open for one in left), default=0)
    left = [one for one in left if one.open == least or not one.mistakes]
    # As near as rounding is as near as can be: the order of the library then says more than the last bit.
    return [one for one in left if not one.mistakes] or sorted(
        left, key=lambda one: max(one.error, 1 / TIMES)
    )


def _types(askings: Sequence[Asking]) -> list[str]:
    """The types that may have been computed in; a short one where it was given, or where every answer is made of it.

    Numbers of bfloat16 are numbers of float16, too, but for the largest and the smallest: the shorter one is meant.
    """
    short = [dtype for dtype in SHORT if all(made_of(one.output, dtype) for one in askings)]
    given = {one.dtype for one in askings}
    return [dtype for dtype in EPSILON if dtype not in SHORT or dtype in short[-1:] or dtype in given]


def made_of(values: np.ndarray, dtype: str) -> bool:
    """Whether all of them are numbers of that type."""
    return np.array_equal(rounded(values, dtype), values, equal_nan=True)


def partly_rounded(askings: Sequence[Asking]) -> Explanation | None:
    """The reference with some of its steps in a short type and the others in a longer one, number for number.

    What lies as far off as the short type allows, and is not made of its numbers, may be any small mistake.
    """
    for dtype in SHORT:
        for chosen in chain.from_iterable(combinations(ROUNDED, count) for count in (1, 2, 3)):
            if all(_rounds_to(asking, chosen, dtype) for asking in askings):
                right = (apart(one.reference.values["output"], one.output) for one in askings)
                return Explanation((), dtype, 0.0, max(right))
    return None


def _rounds_to(asking: Asking, steps: Sequence[str], dtype: str) -> bool:
    made = rounded_at(asking.reference, steps, dtype)
    return apart(made, asking.output) <= asking.allowed("float32")


def matters(asking: Asking, mistake: Mistake) -> bool:
    """Whether the mistake changes anything here; one that concerns a step that is not taken does not."""
    if mistake.step not in asking.reference.values:
        return False
    found = expected(asking, (mistake,))
    if found is None:
        return False
    right = asking.reference.values["output"]
    size = float(np.abs(right).max(initial=0.0, where=np.isfinite(right)))
    return found.off(right)[0] > 1e-11 * size
