"""Arithmetic as plain text, for the terminal and for `str()`."""

from __future__ import annotations

from collections.abc import Sequence

from clearhead.core import expression as ex
from clearhead.core.ops import Equation
from clearhead.trace.notation.numbers import MINUS
from clearhead.trace.notation.reading import MINUS_ONE, Line, Shown

SUM, PRODUCT, POWER, ATOM = 1, 2, 3, 4
"""How tightly a node binds; a looser node inside a tighter one needs brackets."""


def worked(label: str, formula: Equation | None, lines: list[Line], note: str | None) -> str:
    """The formula, the arithmetic line by line after the cell's label, and the note if there is one."""
    rows = [equation(formula)] if formula else []
    for number, line in enumerate(lines):
        rows.append(f"{'' if number else label:{len(label)}} {line.relation} {expression(line.tree)}")
    if note:
        rows.append(f"({note})")
    return "\n".join(rows)


def equation(formula: Equation) -> str:
    """A general formula on one line."""
    return f"{expression(formula.left)} = {expression(formula.right)}"


def expression(node: ex.Expression) -> str:
    """A tree on one line."""
    return _write(node, True)[0]


def _write(node: ex.Expression, start: bool) -> tuple[str, int]:
    """The text, and how tightly its outermost operation binds; at the `start` of a line a minus needs no brackets."""
    match node:
        case Shown(text=text):
            return text, _tightness(text, start)
        case ex.Number(value, symbol):
            return symbol or f"{value:g}".replace("-", MINUS), ATOM
        case ex.Symbol(name, indices):
            return name + (f"[{','.join(indices)}]" if indices else ""), ATOM
        case ex.Sum(terms):
            return _joined(" + ", terms, PRODUCT, start) or "0", SUM
        case ex.BigSum(index, body):
            return f"Σ_{index} {_bound(body, PRODUCT)}", PRODUCT
        case ex.Product((first, *factors)) if first == MINUS_ONE:
            negated = _joined("·", tuple(factors), POWER if factors[1:] else PRODUCT, False)
            return MINUS + negated, PRODUCT if start else SUM
        case ex.Product(factors):
            return _joined("·", factors, POWER, start), PRODUCT
        case ex.Difference(left, right):
            return f"{_bound(left, SUM, start)} {MINUS} {_bound(right, PRODUCT)}", SUM
        case ex.Quotient(top, bottom):
            return f"{_bound(top, PRODUCT, start)} / {_bound(bottom, POWER)}", PRODUCT
        case ex.Power(base, exponent):
            return f"{_bound(base, ATOM)}^{_bound(exponent, ATOM, True)}", POWER
        case ex.Root(of):
            return f"√{_bound(of, ATOM)}", POWER
        case ex.Exp(of):
            return f"e^{_bound(of, ATOM, True)}", POWER
        case ex.Function(name, arguments):
            return f"{name}({', '.join(expression(argument) for argument in arguments)})", ATOM
        case ex.Cases(branches):
            return "; ".join(f"{expression(value)} {condition}" for value, condition in branches), SUM
    raise TypeError(f"{type(node).__name__} cannot be written")


def _joined(operator: str, nodes: Sequence[ex.Expression], tightness: int, start: bool) -> str:
    return operator.join(_bound(node, tightness, start and not at) for at, node in enumerate(nodes))


def _bound(node: ex.Expression, tightness: int, start: bool = False) -> str:
    """The text, in brackets where the node binds more loosely."""
    text, own = _write(node, start)
    return text if own >= tightness else f"({text})"


def _tightness(number: str, start: bool) -> int:
    """A minus binds like a difference, except at the start of a line; an exponent binds like a power."""
    if number.startswith(MINUS) and not start:
        return SUM
    return POWER if "e" in number else ATOM
