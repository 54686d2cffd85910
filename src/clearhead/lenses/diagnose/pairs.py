"""Two mistakes at once: every pair is tried on the first question, and where it fits on all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from clearhead.lenses.diagnose.asking import IMPOSSIBLE, Asking, Explanation, fits, off
from clearhead.lenses.diagnose.mistakes import Mistake
from clearhead.lenses.diagnose.pipeline import Run, attention_of

Pair = tuple[Mistake, Mistake]


def pairs(askings: Sequence[Asking], mistakes: Sequence[Mistake], dtype: str) -> list[Explanation]:
    """The pairs that explain all answers.

    Args:
        askings: the cases with their answers, the most telling first.
        mistakes: those that change anything.
        dtype: the type whose rounding may explain the rest.
    """
    first, most = askings[0], askings[0].allowed(dtype)
    alone = {id(one): _alone(first, one) for one in mistakes}
    fitting = (
        pair
        for chosen in combinations(mistakes, 2)
        if chosen[0].name != chosen[1].name
        for pair in _orders(chosen)
        if off(first, pair, alone[id(pair[0])]) <= most
    )
    return [found for pair in fitting if (found := fits(askings, pair, dtype))]


def _alone(asking: Asking, mistake: Mistake) -> Run | None:
    """What a pair has in common with one of its mistakes is worked out once; None where that one is impossible alone."""
    try:
        return attention_of(asking.case, (mistake.changes,), before=asking.reference)
    except IMPOSSIBLE:
        return None


def _orders(pair: Pair) -> Iterator[Pair]:
    """Both orders where the two do the same step otherwise; one, where the order makes no difference."""
    yield pair
    if set(pair[0].changes) & set(pair[1].changes):
        yield pair[1], pair[0]
