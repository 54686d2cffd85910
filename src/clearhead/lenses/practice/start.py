"""Where to begin with a cell: the first bit of its arithmetic, without giving the result away."""

from __future__ import annotations

from clearhead.core import expression as ex
from clearhead.messages.values import Digits
from clearhead.trace.explanation import Explanation, cell_label
from clearhead.trace.notation import text
from clearhead.trace.notation.numbers import format_number
from clearhead.trace.notation.reading import Shown, relation


def first_step(why: Explanation, digits: Digits) -> str:
    """One sentence: the first thing to work out, or where the number is taken from."""
    lines = why.lines(digits)
    if why.quantity.operation is None:
        return f"{why.quantity.name} is given: it is read, not worked out."
    if len(lines) > 1:
        before, after = _first(lines[0].tree, lines[1].tree)
        if before is not lines[0].tree:
            worked = f"{text.expression(before)} {relation(before, after)} {text.expression(after)}"
            return f"A first step: {worked}."
    cells = [why.factor(cell) for cell in dict.fromkeys(ex.cells(why.expression))]
    if not cells:
        return f"It is {why.note}." if why.note else "It is a number of the formula itself."
    if len(lines) == 1:
        return f"It is taken from {cell_label(cells[0].quantity, cells[0].index)} as it is."
    of = [f"{cell_label(one.quantity, one.index)} = {format_number(one.value, digits)}" for one in cells]
    formula = why.quantity.formula()
    how = f": {text.equation(formula)}" if formula else ""
    return f"It is made of {' and '.join(of)}{how}."


def _first(before: ex.Expression, after: ex.Expression) -> tuple[ex.Expression, ex.Expression]:
    """The leftmost part of a line that can be worked out at once, and what the next line has for it."""
    parts = ex.children(before)
    if isinstance(after, Shown) or not parts:
        return before, after
    pairs = zip(parts, ex.children(after), strict=True)
    return next((_first(old, new) for old, new in pairs if ex.children(old)), (before, after))
