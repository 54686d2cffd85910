"""Two mistakes at once: every pair is tried on the first question, and on all others where it fits there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from clearhead.lenses.diagnose.asking import IMPOSSIBLE, Asking, Explanation, fits, off
from clearhead.lenses.diagnose.mistakes import Mistake
from clearhead.lenses.diagnose.pipeline import Run, changed, first_step

Pair = tuple[Mistake, Mistake]


def pairs(askings: Sequence[Asking], mistakes: Sequence[Mistake], types: Sequence[str]) -> list[Explanation]:
    """The pairs that explain all answers, with the finest of the types whose rounding explains the rest.

    Args:
        askings: the cases with their answers, the most telling first.
        mistakes: those that change anything.
        types: from the finest to the coarsest.
    """
    first, most = askings[0], max(map(askings[0].allowed, types))
    # Of a pair the mistake that comes first is worked out once: the other takes over all up to its own step.
    begun = sorted(mistakes, key=lambda one: first_step(first.reference, (one.changes,)))
    alone = {id(one): _alone(first, one) for one in begun}
    fitting = [
        pair
        for earlier, later in combinations(begun, 2)
        if earlier.name != later.name
        for pair in _orders((earlier, later))
        if off(first, pair, alone[id(earlier)]) <= most
    ]
    return [known for pair in fitting if (known := fits(askings, pair, types))]


def _alone(asking: Asking, mistake: Mistake) -> Run | None:
    """What a pair shares with one of its mistakes is worked out once; None where that one is impossible alone."""
    try:
        return changed(asking.reference, (mistake.changes,), (mistake.changes,))
    except IMPOSSIBLE:
        return None


def _orders(pair: Pair) -> Iterator[Pair]:
    """Both orders where the two do the same step otherwise; one, where the order makes no difference."""
    yield pair
    if set(pair[0].changes) & set(pair[1].changes):
        yield pair[1], pair[0]
