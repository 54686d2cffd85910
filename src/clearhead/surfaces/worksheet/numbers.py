"""How numbers stand on a worksheet."""

from __future__ import annotations

import math

from clearhead.messages.values import Digits
from clearhead.trace.notation.numbers import format_number


def on_paper(value: float, digits: Digits) -> str:
    """The number for working by hand: 2 and −0.5 where that is the number itself, else at so many decimals."""
    shortest = format_number(value, "full")
    if digits == "full" or ("e" not in shortest and len(shortest.partition(".")[2]) <= digits):
        return shortest
    return format_number(value, digits)


def as_answer(value: float, digits: Digits) -> str:
    """The number as somebody writes it who rounds to so many decimals: 0.00 for what is small, 0 for what is 0."""
    if digits != "full" and vanishes(value, digits):
        return f"{0:.{digits}f}"
    return on_paper(value, digits)


def vanishes(value: float, digits: int) -> bool:
    """Whether a number is nothing at so many decimals, and yet is not 0."""
    return value != 0 and abs(value) < 10.0**-digits / 2


def is_a_tie(value: float, digits: int) -> bool:
    """Whether rounding to so many decimals may go either way: 0.125 to two of them."""
    if not math.isfinite(value):
        return False
    scaled = abs(value) * 10.0**digits
    return abs(scaled - math.floor(scaled) - 0.5) < 1e-6
