"""The answers of a worksheet: one of each quantity worked, and how many depend on rounding on the way."""

from __future__ import annotations

import numpy as np

from clearhead.core.expression import Cell
from clearhead.lenses.practice import roundings
from clearhead.messages.values import Digits
from clearhead.surfaces.worksheet.hiding import Hidden
from clearhead.trace.notation import text
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace


def worked(quantity: Quantity, hidden: np.ndarray, digits: Digits) -> list[str]:
    """The arithmetic of one hidden cell: of the first that has any and comes to more than 0 or 1, if there is such."""
    whys = [quantity.explain(*map(int, place)) for place in np.argwhere(hidden)]
    whys = [why for why in whys if not isinstance(why.expression, Cell) and len(why.lines(digits)) > 1]
    chosen = next((why for why in whys if why.value not in (0, 1)), next(iter(whys), None))
    if chosen is None:
        return []
    steps = (f"{line.relation} {text.expression(line.tree)}" for line in chosen.lines(digits))
    return [f"{chosen.label} {' '.join(steps)}"]


def differing(trace: Trace, hidden: Hidden, digits: int) -> int:
    """How many answers come out otherwise, on the digits shown, from the rounded numbers that stand on the sheet."""
    whys = (
        trace[name].explain(*map(int, place)) for name, mask in hidden.items() for place in np.argwhere(mask)
    )
    shown = (
        (_rounded(next(roundings(why, digits), why.value), digits), _rounded(why.value, digits))
        for why in whys
    )
    return sum(rounded != value for rounded, value in shown)


def _rounded(value: float, digits: int) -> float:
    return round(value, digits) if np.isfinite(value) else value
