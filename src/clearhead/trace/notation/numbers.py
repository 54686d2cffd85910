"""How a number is written. The page follows the same rules; tests/golden/numbers.json holds both to them."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

Digits = Literal[2, 3, 4, "full"]
DIGITS: tuple[Digits, ...] = (2, 3, 4, "full")
DEFAULT_DIGITS: Digits = 2

MINUS = "\u2212"
LARGE = 1e6
"""From here on a number is written with an exponent."""


def format_number(value: float, digits: Digits = DEFAULT_DIGITS) -> str:
    """The number at so many decimals, ties away from zero; "full" gives the shortest digits that are exactly it.

    Zero is "0" and nothing else is: a small number keeps its leading digits, with an exponent. Minus is U+2212.
    """
    if math.isnan(value):
        return "NaN"
    sign = MINUS if value < 0 else ""
    if math.isinf(value):
        return f"{sign}∞"
    if value == 0:
        return "0"
    return sign + (_shortest(abs(value)) if digits == "full" else _rounded(abs(value), digits))


def _rounded(size: float, digits: int) -> str:
    fixed = Decimal(size).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP) if size < LARGE else Decimal(0)
    if fixed:
        return f"{fixed:f}"
    exact = Decimal(size)
    exponent = exact.adjusted()
    mantissa = exact.scaleb(-exponent).quantize(Decimal(1).scaleb(1 - digits), ROUND_HALF_UP)
    if mantissa >= 10:
        mantissa, exponent = (mantissa / 10).quantize(Decimal(1).scaleb(1 - digits)), exponent + 1
    return f"{mantissa:f}e{_exponent(exponent)}"


def _shortest(size: float) -> str:
    shortest = Decimal(repr(float(size))).normalize()
    if 1e-7 <= size < 1e21:
        return f"{shortest:f}"
    return f"{shortest.scaleb(-shortest.adjusted()):f}e{_exponent(shortest.adjusted())}"


def _exponent(exponent: int) -> str:
    return f"{MINUS if exponent < 0 else ''}{abs(exponent)}"


def shown_value(shown: str) -> float:
    """The number that a written number says, for checking whether what is shown adds up."""
    return float(shown.replace(MINUS, "-").replace("∞", "inf"))
