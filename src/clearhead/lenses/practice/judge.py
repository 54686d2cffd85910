"""The verdict on a predicted number: right, nearly, what a known mistake gives, or none of these."""

from __future__ import annotations

import math
from collections.abc import Iterator

from clearhead.core.ops.base import Index
from clearhead.lenses.practice.mistakes import mistakes_in
from clearhead.lenses.practice.replay import made_of, replayed
from clearhead.lenses.practice.rounded import roundings
from clearhead.lenses.practice.slips import slips
from clearhead.lenses.practice.start import first_step
from clearhead.lenses.practice.typed import Typed, read_typed
from clearhead.messages import Practice, PracticeMistake
from clearhead.messages.practice import Verdict
from clearhead.messages.values import Digits
from clearhead.trace.explanation import Explanation
from clearhead.trace.notation.numbers import format_number
from clearhead.trace.trace import Trace

FULL = 4
"""Decimals that are wanted where numbers are shown in full."""

COARSE = 0.05
"""A number with few digits counts as what a mistake gives if it is within this share of it."""

MOST_NAMED = 4
"""Mistakes that one sentence names; the list has all."""


def practice(trace: Trace, name: str, index: Index, typed: str, digits: Digits = 2) -> Practice:
    """Judge a number that a person predicted for a cell.

    Whatever a known mistake gives is computed by doing the whole computation again with that one step done otherwise
    (see `replay`), so what is said of it is so. The number itself is given away only where it is right or nearly so.

    Args:
        trace: what the cell is of.
        name: the quantity.
        index: the cell's place; negative numbers count from the end.
        typed: what was typed: 0.41, −2, 1/3, 41%, −∞.
        digits: how many decimals are wanted, and are shown.

    Raises:
        KeyError: no such quantity.
        IndexError: the index does not fit it.
        ValueError: what was typed is no number.
        TypeError: the trace is none, or what was typed is no text.
    """
    if not isinstance(trace, Trace):
        raise TypeError(f"trace: expected a Trace, such as clearhead.run gives, got {type(trace).__name__}")
    if not isinstance(typed, str):
        raise TypeError(f"typed: expected a number as text, such as '0.41' or '1/3', got {typed!r}")
    why, given = trace[name].explain(*index), read_typed(typed)
    wanted = FULL if digits == "full" else digits
    shown = format_number(why.value, digits)
    if given.says(why.value) and (given.is_exactly(why.value) or _is_fine(given, why.value, wanted)):
        return _view(why, given, "right", f"Right: {why.label} is {shown}.", value=shown)
    if (so := _nearly(why, given, digits, wanted)) is not None:
        return _view(why, given, "nearly", f"Nearly: {so}", value=shown)
    if found := list(_mistaken(trace, why, given, digits, wanted)):
        return _view(why, given, "mistake", _named(found), found)
    if why.value != given.value and abs(why.value - given.value) <= given.unit and given.is_fine(wanted):
        says = f"Nearly: only the last digit is off; {why.label} is {shown}."
        return _view(why, given, "nearly", says, value=shown)
    return _view(
        why, given, "unknown", f"Not yet, and no known mistake gives {given.text}. {first_step(why, digits)}"
    )


def _is_fine(given: Typed, value: float, wanted: int) -> bool:
    """Whether it was given finely enough to be right: 0 is not enough for what is not 0."""
    return given.is_fine(wanted) and bool(given.value or not value)


def _nearly(why: Explanation, given: Typed, digits: Digits, wanted: int) -> str | None:
    """What to say where only rounding is in the way; None where it is not."""
    shown = format_number(why.value, digits)
    if given.says(why.value):
        if given.value:
            return f"{given.text} is {why.label} with fewer digits; it is {shown}."
        if abs(why.value) < 10.0**-wanted / 2:
            return f"{why.label} is small and not 0; it is {shown}."
        return None
    if given.is_fine(wanted) and any(given.says(rounded) for rounded in roundings(why, wanted)):
        return (
            f"{given.text} comes out of numbers that were rounded on the way; from the numbers themselves "
            f"{why.label} is {shown}."
        )
    return None


def _mistaken(
    trace: Trace, why: Explanation, given: Typed, digits: Digits, wanted: int
) -> Iterator[PracticeMistake]:
    """The mistakes that give what was typed, those in the last steps first."""
    for step, name, says, value in _known(trace, why):
        coarse = abs(given.value - value) <= COARSE * abs(value)
        if given.says(value) and (given.is_fine(wanted) or given.is_exactly(value) or coarse):
            yield PracticeMistake(id=name, step=step, says=says, value=format_number(value, digits))


def _known(trace: Trace, why: Explanation) -> Iterator[tuple[str, str, str, float]]:
    """(step, id, what is done wrong, what comes out) of every mistake that changes the cell."""
    own, way = why.quantity.name, made_of(trace, why.quantity)
    for quantity in reversed(way):
        for mistake in mistakes_in(quantity):
            values = replayed(way, quantity, mistake.work)
            value = math.nan if values is None else float(values[why.quantity.here(why.index)])
            if value != why.value and not math.isnan(value):
                yield quantity.name, mistake.id, mistake.says, value
        if quantity is why.quantity:
            for name, says, value in slips(why):
                if value != why.value:
                    yield own, name, says, value


def _named(found: list[PracticeMistake]) -> str:
    says = list(dict.fromkeys(one["says"] for one in found))
    more = f" (and {len(says) - MOST_NAMED} more)" if len(says) > MOST_NAMED else ""
    return (
        f"Not yet: {found[0]['value']} is what comes out when {', or when '.join(says[:MOST_NAMED])}{more}."
    )


def _view(
    why: Explanation,
    given: Typed,
    verdict: Verdict,
    says: str,
    mistakes: list[PracticeMistake] | None = None,
    value: str | None = None,
) -> Practice:
    view = Practice(
        kind="practice",
        quantity=why.quantity.name,
        index=list(why.index),
        label=why.label,
        typed=given.text,
        verdict=verdict,
        says=says,
        mistakes=mistakes or [],
    )
    if value is not None:
        view["value"] = value
    return view
