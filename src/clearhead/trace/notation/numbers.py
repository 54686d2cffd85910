"""How a number is written. The page follows the same rules; tests/golden/numbers.json holds both to them."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Context, Decimal

from clearhead.messages.values import Digits

DIGITS: tuple[Digits, ...] = (2, 3, 4, "full")
DEFAULT_DIGITS: Digits = 2

MINUS = "\u2212"
EXACT = Context(prec=800, rounding=ROUND_HALF_UP)
"""Enough digits for every float64 as it is (the smallest has 751), whatever the caller's own decimal context."""

LARGE = 1e6
"""From here on a number is written with an exponent."""


def digits_of(given: object) -> Digits:
    """The decimals that were asked for.

    Raises:
        ValueError: there are no such; the message says which there are.
    """
    wanted = next((one for one in DIGITS if one == given and not isinstance(given, bool)), None)
    if wanted is None:
        raise ValueError(f"digits: expected one of {', '.join(map(str, DIGITS))}, got {given!r}")
    return wanted


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
    exact = Decimal(size)
    fixed = _quantized(exact, digits) if size < LARGE else Decimal(0)
    if fixed:
        return f"{fixed:f}"
    exponent = exact.adjusted()
    mantissa = _quantized(exact.scaleb(-exponent, EXACT), digits - 1)
    if mantissa >= 10:  # 9.99 rounded up to 10.0
        mantissa, exponent = _quantized(mantissa.scaleb(-1, EXACT), digits - 1), exponent + 1
    return f"{mantissa:f}e{_exponent(exponent)}"


def _quantized(number: Decimal, decimals: int) -> Decimal:
    return number.quantize(Decimal((0, (1,), -decimals)), context=EXACT)


def _shortest(size: float) -> str:
    shortest = Decimal(repr(float(size))).normalize(EXACT)
    if 1e-7 <= size < 1e21:
        return f"{shortest:f}"
    exponent = shortest.adjusted()
    return f"{shortest.scaleb(-exponent, EXACT):f}e{_exponent(exponent)}"


def _exponent(exponent: int) -> str:
    return f"{MINUS if exponent < 0 else ''}{abs(exponent)}"


def shown_value(shown: str) -> float:
    """The number that a written number says, for checking whether what is shown adds up."""
    return float(shown.replace(MINUS, "-").replace("∞", "inf"))
