"""A number as a person types it: how large it is, and how finely it was given."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction

LONGEST = 40
"""Characters that are read: no number a person works out has more."""

DECIMAL = re.compile(r"([+-]?)(\d*)(?:[.,](\d*))?(?:e([+-]?\d{1,3}))?(%?)", re.ASCII)
FRACTION = re.compile(r"([+-]?\d+)/(\d+)", re.ASCII)
INFINITE = re.compile(r"([+-]?)(?:∞|inf|infinity)")

SLACK = 1e-9
"""What counts as the same number: less than a person types, more than float64's own rounding."""


@dataclass(frozen=True)
class Typed:
    """A number that was typed.

    Attributes:
        text: as it was typed, without the blanks around it.
        value: the number.
        unit: what one step in its last digit is worth: 0.01 of 0.41, 1 of 5; 0 of a fraction, which is exact.
        significant: digits from the first that is not 0; of a fraction as many as may be wanted.
    """

    text: str
    value: float
    unit: float
    significant: int

    def says(self, number: float) -> bool:
        """Whether the number, rounded to the digits that were typed, is this; a tie may go either way."""
        if not (math.isfinite(number) and math.isfinite(self.value)):
            return number == self.value
        return abs(number - self.value) <= self.unit / 2 * (1 + SLACK) + SLACK * max(1.0, abs(number))

    def is_exactly(self, number: float) -> bool:
        """Whether it is the number itself."""
        if not (math.isfinite(number) and math.isfinite(self.value)):
            return number == self.value
        return abs(number - self.value) <= SLACK * max(1.0, abs(number))

    def is_fine(self, decimals: int) -> bool:
        """Whether it has at least so many decimals, or as many digits that count."""
        return self.unit <= 10.0**-decimals * (1 + SLACK) or self.significant >= decimals + 1


def read_typed(typed: str) -> Typed:
    """Read a number: 0.41, 0,41, −2, 1e−3, 41%, 1/3, −∞.

    Raises:
        ValueError: it is no number; the message says what was expected.
    """
    text = typed.strip()
    plain = text.lower().replace("−", "-").replace("–", "-").replace(" ", "")
    if len(plain) <= LONGEST:
        if found := INFINITE.fullmatch(plain):
            return Typed(text, -math.inf if found[1] == "-" else math.inf, 0.0, LONGEST)
        if (found := FRACTION.fullmatch(plain)) and int(found[2]):
            return Typed(text, _as_float(Fraction(int(found[1]), int(found[2]))), 0.0, LONGEST)
        if (found := DECIMAL.fullmatch(plain)) and (found[2] or found[3]):
            return _decimal(text, *found.groups())
    shown = repr(text) if len(text) <= LONGEST else f"{text[:LONGEST]!r} and more"
    raise ValueError(f"expected a number, such as 0.41, −2, 1/3 or −∞; got {shown}")


def _decimal(
    text: str, sign: str, whole: str, decimals: str | None, exponent: str | None, percent: str
) -> Typed:
    after, power = decimals or "", int(exponent or 0) - (2 if percent else 0)
    digits = int(f"{whole}{after}")
    scale = Fraction(10) ** (power - len(after))
    value = _as_float(digits * scale)
    return Typed(text, -value if sign == "-" else value, _as_float(scale), len(str(digits)) if digits else 0)


def _as_float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
