"""Two mistakes at once: every pair is tried on one question, and on all others where it fits there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from clearhead.lenses.diagnose.asking import IMPOSSIBLE, Asking, Explanation, fits, off
from clearhead.lenses.diagnose.mistakes import Mistake
from clearhead.lenses.diagnose.pipeline import Run, changed, first_step

Pair = tuple[Mistake, Mistake]

COLUMNS = 16
"""Of a wider output, as many columns are looked at first."""
OF_COLUMNS = frozenset(("projected", "projected_biased", "output"))
"""The steps that have the columns of the output."""


def pairs(askings: Sequence[Asking], mistakes: Sequence[Mistake], types: Sequence[str]) -> list[Explanation]:
    """The pairs that explain all answers, with the finest of the types whose rounding explains the rest.

    Args:
        askings: the cases with their answers, the most telling first.
        mistakes: those that change anything.
        types: from the finest to the coarsest.
    """
    # What the reference explains alone would be explained by every pair that changes nothing there.
    askings = sorted(askings, key=lambda one: off(one, ()) <= one.allowed(types[-1]))
    whole, most = askings[0], max(map(askings[0].allowed, types))
    part = _part(whole)
    # Of a pair the mistake that comes first is worked out once: the other takes over all up to its own step.
    begun = sorted(mistakes, key=lambda one: first_step(whole.reference, (one.changes,)))
    alone = {id(asking): {id(one): _alone(asking, one) for one in begun} for asking in {whole, part}}
    fitting = []
    for earlier, later in combinations(begun, 2):
        first = whole if _is_of_columns(earlier) or _is_of_columns(later) else part
        if earlier.name != later.name:
            begins = alone[id(first)][id(earlier)]
            fitting += [pair for pair in _orders((earlier, later)) if off(first, pair, begins) <= most]
    return [known for pair in fitting if (known := fits(askings, pair, types))]


def _part(asking: Asking) -> Asking:
    """The same with a few columns of its output, where W_O makes many: they tell as much, in a fraction of the time."""
    weights = asking.case.weights
    if "W_O" not in weights or weights["W_O"].shape[-1] <= COLUMNS:
        return asking
    few = {name: weights[name][..., :COLUMNS] for name in ("W_O", "b_O") if name in weights}
    return Asking(
        replace(asking.case, weights={**weights, **few}), asking.output[..., :COLUMNS], asking.dtype
    )


def _is_of_columns(mistake: Mistake) -> bool:
    """Whether it may do something with the columns of the output that a few of them do not show."""
    return not OF_COLUMNS.isdisjoint(mistake.changes)


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
