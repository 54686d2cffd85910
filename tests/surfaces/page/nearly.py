"""Texts that say the same arithmetic in full precision, where two languages worked it out."""

import math
import re

NUMBER = re.compile(r"\d+\.\d{6,}(?:e[+−-]?\d+)?|\d(?:\.\d+)?e[+−-]?\d+|\d+\.\d+ \\cdot 10\^\{-?\d+\}")

LAST_DIGITS = 1e-12
"""The last digits of what was worked out may differ, relative to the number: sums are added up in another order there
than here, and e^x is a library's own. With them "=" may become "≈"."""


def near(text: str, other: str) -> bool:
    """The same text, but for the last digits of numbers in full precision."""
    text, other = (one.replace("\\approx", "=").replace("≈", "=") for one in (text, other))
    if text == other:
        return True
    if NUMBER.sub("#", text) != NUMBER.sub("#", other):
        return False
    pairs = zip(NUMBER.findall(text), NUMBER.findall(other), strict=True)
    return all(math.isclose(_read(a), _read(b), rel_tol=LAST_DIGITS, abs_tol=1e-13) for a, b in pairs)


def _read(number: str) -> float:
    return float(number.replace("−", "-").replace(" \\cdot 10^{", "e").rstrip("}"))
