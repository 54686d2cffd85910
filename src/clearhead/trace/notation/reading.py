"""Reading a recipe: from the numbers to the result, one simplification a line, and never "=" where it is not.

Each line is the tree with its innermost arithmetic done. A line says "=" only if the digits shown on the line before,
taken as they stand, give exactly the digits shown on this line; otherwise it says "≈".
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from clearhead.core import expression as ex
from clearhead.messages.values import Digits, Relation
from clearhead.trace.notation.numbers import MINUS, digits_of, format_number

Lookup = Callable[[ex.Cell], float]


SHORT = 7
"""Significant digits up to which a constant of a formula is written in full."""

MINUS_ONE = ex.Number(-1)
"""As the first factor of a product in a general formula it is written as a minus sign."""


@dataclass(frozen=True)
class Shown(ex.Number):
    """A number as it is written.

    Attributes:
        text: its digits.
        cell: the input cell it is, if it is one.
        constant: whether it belongs to the formula, or was worked out from such numbers alone.
    """

    text: str = ""
    cell: ex.Cell | None = None
    constant: bool = False


@dataclass(frozen=True)
class Line:
    """One line of arithmetic.

    Attributes:
        relation: "=" or "≈", to the line before; for the first line, to the cell itself.
        tree: what stands on the line; its leaves are `Shown`.
    """

    relation: Relation
    tree: ex.Expression


def read(recipe: ex.Expression, lookup: Lookup, stored: float, digits: Digits) -> list[Line]:
    """The lines from the recipe's numbers to the stored result.

    Args:
        recipe: the cell's expression tree.
        lookup: the values of its input cells.
        stored: the cell's value: what the last line shows.
        digits: how numbers are written.

    Raises:
        ValueError: numbers are not written with so many digits.
    """
    digits = digits_of(digits)
    tree = _written(recipe, lookup, digits)
    lines = [Line("=" if _all_exact(tree) else "≈", tree)]
    while not isinstance(tree, Shown):
        simpler = _simplified(tree, digits)
        if isinstance(simpler, Shown):
            simpler = Shown(stored, text=format_number(stored, digits))
        lines.append(Line(relation(tree, simpler), simpler))
        tree = simpler
    return lines


def _written(node: ex.Expression, lookup: Lookup, digits: Digits) -> ex.Expression:
    """The recipe with every leaf written out."""
    match node:
        case ex.Sum((only,)):  # the sum over one head, or one feature
            return _written(only, lookup, digits)
        case ex.Cell():
            value = lookup(node)
            return Shown(value, text=format_number(value, digits), cell=node)
        case ex.Number(value, symbol):
            return Shown(value, symbol, _plain(value, digits))
    parts = [
        _constant(child, digits) if isinstance(child, ex.Number) else _written(child, lookup, digits)
        for child in ex.children(node)
    ]
    return with_parts(node, parts)


def _constant(number: ex.Number, digits: Digits) -> Shown:
    """A number of the formula itself: 0.999 in full rather than as 1.00, π with as many digits as any other."""
    short = len(Decimal(repr(float(number.value))).normalize().as_tuple().digits) <= SHORT
    text = _plain(number.value, "full" if short else digits)
    return Shown(number.value, number.symbol, text, constant=True)


def _plain(value: float, digits: Digits) -> str:
    """A constant of the formula: whole numbers without decimals, so that it reads 10000 and not 10000.00."""
    if math.isfinite(value) and value == int(value) and abs(value) < 1e15:
        return f"{MINUS if value < 0 else ''}{abs(int(value))}"
    return format_number(value, digits)


def with_parts(node: ex.Expression, new: list[ex.Expression]) -> ex.Expression:
    """The node with other parts, in the order of `expression.children`."""
    match node:
        case ex.Sum():
            return replace(node, terms=tuple(new))
        case ex.Product():
            return replace(node, factors=tuple(new))
        case ex.Function():
            return replace(node, arguments=tuple(new))
        case ex.Difference():
            return replace(node, left=new[0], right=new[1])
        case ex.Quotient():
            return replace(node, top=new[0], bottom=new[1])
        case ex.Power():
            return replace(node, base=new[0], exponent=new[1])
        case ex.Root() | ex.Exp():
            return replace(node, of=new[0])
    raise TypeError(f"{type(node).__name__} has no place in worked arithmetic")


def _simplified(node: ex.Expression, digits: Digits) -> ex.Expression:
    """The tree with every node whose parts are all plain numbers replaced by its value."""
    parts = ex.children(node)
    numbers = [part for part in parts if isinstance(part, Shown)]
    if not parts:
        return node
    if len(numbers) < len(parts):
        return with_parts(node, [_simplified(part, digits) for part in parts])
    value = ex.compute(node, [number.value for number in numbers])
    if all(number.constant for number in numbers):
        return Shown(value, text=_distinct(value, digits), constant=True)
    whole = all(number.cell is None and "." not in number.text for number in numbers)
    return Shown(value, text=_plain(value, digits) if whole else format_number(value, digits))


def _distinct(value: float, digits: Digits) -> str:
    """A constant that was worked out, with as many decimals more as keep 0.998 from being shown as 1.00."""
    written = _plain(value, digits)
    for more in (3, 4, "full"):
        if math.isfinite(value) and value != round(value) and not written.partition(".")[2].strip("0"):
            written = format_number(value, more)
    return written


def _all_exact(node: ex.Expression) -> bool:
    """Whether every leaf shows its number exactly."""
    if isinstance(node, Shown):
        return _is_exact(node)
    return all(_all_exact(part) for part in ex.children(node))


def _is_exact(leaf: Shown) -> bool:
    """Whether the digits say the number, as far as float64 can hold them (0.1 + 0.2 may be shown as 0.3)."""
    if not math.isfinite(leaf.value):
        return True
    return math.isclose(float(_fraction(leaf.text)), leaf.value, rel_tol=1e-14)


def relation(before: ex.Expression, after: ex.Expression) -> Relation:
    """How two ways of writing a number stand to each other: "=" only if the digits shown say the same."""
    return "=" if _agrees(before, after) else "≈"


def _agrees(before: ex.Expression, after: ex.Expression) -> bool:
    """Whether the shown digits of `before` give exactly those of `after`, part by part."""
    if isinstance(after, Shown):
        exact = _exact_value(before)
        return exact is not None and exact == _digits_value(after)
    return all(_agrees(old, new) for old, new in zip(ex.children(before), ex.children(after), strict=True))


def _digits_value(leaf: Shown) -> Fraction | float:
    return _fraction(leaf.text) if math.isfinite(leaf.value) else leaf.value


def _fraction(shown: str) -> Fraction:
    return Fraction(Decimal(shown.replace(MINUS, "-")))


def _exact_value(node: ex.Expression) -> Fraction | float | None:
    """What the shown digits of a tree give in exact arithmetic, or None where that is no fraction (e^0.5, √2)."""
    if isinstance(node, Shown):
        return _digits_value(node)
    values = [_exact_value(part) for part in ex.children(node)]
    if any(value is None for value in values):
        return None
    return _exact_step(node, values)


def _exact_step(node: ex.Expression, values: list[Any]) -> Fraction | float | None:
    """One node's arithmetic on exact values."""
    match node:
        case ex.Sum():
            return sum(values)
        case ex.Product():
            return math.prod(values)
        case ex.Difference():
            return values[0] - values[1]
        case ex.Quotient():
            return values[0] / values[1] if values[1] else None
        case ex.Exp():
            return {0: Fraction(1), -math.inf: Fraction(0)}.get(values[0])
        case ex.Root():
            return _exact_power(values[0], Fraction(1, 2))
        case ex.Power():
            return _exact_power(*values)
        case ex.Function("sin" | "cos" as name):
            return Fraction(int(name == "cos")) if values[0] == 0 else None
        case ex.Function("tanh" | "erf"):
            return Fraction(0) if values[0] == 0 else None
        case ex.Function("ln"):
            return Fraction(0) if values[0] == 1 else None
        case ex.Function("max"):
            return max(values)
        case ex.Function("abs"):
            return abs(values[0])
    return None


def _exact_power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """base^exponent, if that is a fraction: 10000^0.5 is 100, 2^0.5 is none."""
    if (
        abs(exponent) > 64
        or exponent.denominator > 64
        or base < 0 < exponent.denominator - 1
        or (not base and exponent <= 0)
    ):
        return None
    top, bottom = (_exact_root(part, exponent.denominator) for part in (base.numerator, base.denominator))
    return None if top is None or bottom is None else Fraction(top, bottom) ** exponent.numerator


def _exact_root(whole: int, degree: int) -> int | None:
    """The whole number whose power is `whole`, or None."""
    root = whole if degree == 1 else math.isqrt(whole) if degree == 2 else round(whole ** (1 / degree))
    return root if root**degree == whole else None
