"""Whether the numbers of a variant make good exercises: neither trivial nor ambiguous."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.core.axes import KEY
from clearhead.core.names import taken_apart
from clearhead.lenses.practice import made_of, mistakes_in, replayed
from clearhead.surfaces.worksheet.hiding import Hidden
from clearhead.surfaces.worksheet.numbers import is_a_tie
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace

LARGEST = 100.0
"""Sizes up to which numbers are worked with by hand."""

CERTAIN, EVEN = 0.97, 0.02
"""A row of weights is trivial if one takes more than this, or if they differ by less than that."""

TELLING = ("unscaled", "unmasked", "swapped")
"""Mistakes that an answer has to tell from the right way, wherever the example itself can tell them apart."""


@dataclass(frozen=True)
class Measure:
    """What an example itself is like as an exercise: a variant has to be as good.

    Attributes:
        trivial: rows of weights among the answers that have all of their weight in one place, or the same everywhere.
        told: (quantity, step, mistake) of the mistakes that change an answer by more than rounding does.
    """

    trivial: int
    told: frozenset[tuple[str, str, str]]


def measured(trace: Trace, hidden: Hidden, digits: int) -> Measure:
    """The example itself."""
    return Measure(_trivial(trace, hidden), _told(trace, hidden, digits))


def is_good(trace: Trace, hidden: Hidden, digits: int, own: Measure) -> bool:
    """Whether every answer is one number, few are trivial, and none comes out right for the wrong reason.

    Args:
        trace: the variant.
        hidden: what is asked for.
        digits: the decimals that answers are rounded to.
        own: what the example itself is like.
    """
    for name, mask in hidden.items():
        quantity = trace[name]
        answers = quantity.values[mask & (~quantity.masked if quantity.masked is not None else True)]
        if not np.isfinite(answers).all() or (np.abs(answers) > LARGEST).any():
            return False
        if any(is_a_tie(float(answer), digits) for answer in answers):
            return False
        if len(answers) > 2 and len({round(float(answer), digits) for answer in answers} - {0.0}) < 2:
            return False
    return _trivial(trace, hidden) <= own.trivial and own.told <= _told(trace, hidden, digits)


def _trivial(trace: Trace, hidden: Hidden) -> int:
    """Rows of weights that are asked for and trivial."""
    found = 0
    for name, mask in hidden.items():
        if taken_apart(name)[1] == "weights":
            found += sum(_is_trivial(trace[name], tuple(place)) for place in np.argwhere(mask.any(axis=-1)))
    return found


def _is_trivial(weights: Quantity, place: tuple[int, ...]) -> bool:
    """Whether a row has all of its weight in one place, or the same everywhere it may look, though it may choose."""
    row, hidden = weights.values[place], weights.masked
    seen = row if hidden is None else row[~hidden[place]]
    return len(seen) > 1 and bool(seen.max() > CERTAIN or np.ptp(seen) < EVEN)


def _told(trace: Trace, hidden: Hidden, digits: int) -> frozenset[tuple[str, str, str]]:
    """See `Measure`."""
    found = set()
    for name, mask in hidden.items():
        way = made_of(trace, trace[name])
        for step in way:
            if step.axes[-1:] != (KEY,):
                continue
            for mistake in mistakes_in(step):
                if mistake.id not in TELLING:
                    continue
                values = replayed(way, step, mistake.work)
                if values is not None and _differ(values[mask], trace[name].values[mask], digits):
                    found.add((name, step.name, mistake.id))
    return frozenset(found)


def _differ(these: np.ndarray, those: np.ndarray, digits: int) -> bool:
    with np.errstate(invalid="ignore"):  # −∞ less −∞
        return bool((np.abs(these - those) > 10.0**-digits).any())
