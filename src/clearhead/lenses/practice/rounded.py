"""What a cell comes to for somebody who rounds on the way."""

from __future__ import annotations

import math
from collections.abc import Iterator

from clearhead.core import expression as ex
from clearhead.trace.explanation import Explanation


def roundings(why: Explanation, decimals: int) -> Iterator[float]:
    """The cell from inputs rounded to so many decimals, and from inputs and every result between rounded to them."""
    for every_step in (False, True):
        try:
            yield _worked(why.expression, why, decimals, every_step)
        except (ZeroDivisionError, ValueError, OverflowError):  # what was small is 0 now
            continue


def _worked(node: ex.Expression, why: Explanation, decimals: int, every_step: bool) -> float:
    if isinstance(node, ex.Cell):
        return _rounded(why.quantity.value_of(node), decimals)
    parts = [_worked(part, why, decimals, every_step) for part in ex.children(node)]
    value = ex.compute(node, parts)
    return _rounded(value, decimals) if every_step and parts else value


def _rounded(value: float, decimals: int) -> float:
    """Ties away from zero, as by hand."""
    if not math.isfinite(value):
        return value
    scaled = abs(value) * 10**decimals
    return math.copysign(math.floor(scaled + 0.5 + 1e-9) / 10**decimals, value)
