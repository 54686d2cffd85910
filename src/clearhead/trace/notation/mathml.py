"""General formulas as MathML, in the form of nested lists: ["mfrac", top, bottom].

An element is a list: the tag, then optionally an object of attributes, then its children; text is a string. Whoever
draws it makes elements from it one by one, so no markup is ever parsed.
"""

from __future__ import annotations

from typing import Any

from clearhead.core import expression as ex
from clearhead.core.ops import Equation
from clearhead.trace.notation.names import Piece, needs_brackets, pieces
from clearhead.trace.notation.numbers import MINUS
from clearhead.trace.notation.reading import MINUS_ONE

Element = list[Any]


def equation(formula: Equation) -> Element:
    """A `math` element in display style."""
    row = ["mrow", expression(formula.left), ["mo", "="], expression(formula.right)]
    return ["math", {"display": "block"}, row]


def expression(node: ex.Expression) -> Element:
    """A tree."""
    match node:
        case ex.Number(value, symbol):
            return _name(symbol) if symbol else ["mn", f"{value:g}".replace("-", MINUS)]
        case ex.Symbol():
            return _symbol(node)
        case ex.Sum(terms):
            return _joined([expression(term) for term in terms], "+")
        case ex.BigSum(index, body):
            return ["mrow", ["munder", ["mo", "∑"], _name(index)], expression(body)]
        case ex.Product((first, *factors)) if first == MINUS_ONE:
            return ["mrow", ["mo", MINUS], expression(ex.Product(tuple(factors)))]
        case ex.Product(factors):
            return _joined([_bracketed(factor) for factor in factors], "·")
        case ex.Difference(left, right):
            return ["mrow", expression(left), ["mo", MINUS], _bracketed(right)]
        case ex.Quotient(top, bottom):
            return ["mfrac", expression(top), expression(bottom)]
        case ex.Power(base, exponent):
            return ["msup", _bracketed(base), expression(exponent)]
        case ex.Root(of):
            return ["msqrt", expression(of)]
        case ex.Exp(of):
            return ["msup", ["mi", "e"], expression(of)]
        case ex.Function(name, arguments):
            inside = _joined([expression(argument) for argument in arguments], ",")
            return ["mrow", ["mi", name], ["mo", "("], inside, ["mo", ")"]]
        case ex.Cases(branches):
            rows = [
                ["mtr", ["mtd", expression(value)], ["mtd", ["mtext", condition]]]
                for value, condition in branches
            ]
            return ["mrow", ["mo", {"stretchy": "true"}, "{"], ["mtable", {"columnalign": "left"}, *rows]]
    raise TypeError(f"{type(node).__name__} cannot be written")


def _symbol(node: ex.Symbol) -> Element:
    """A name with its indices; a name that has a subscript of its own stands in brackets: (W_Q)_{m,c}."""
    name = _name(node.name)
    if not node.indices:
        return name
    if needs_brackets(node.name):
        name = ["mrow", ["mo", {"stretchy": "false"}, "("], name, ["mo", {"stretchy": "false"}, ")"]]
    return ["msub", name, _joined([_name(index) for index in node.indices], ",")]


def _bracketed(node: ex.Expression) -> Element:
    inner = expression(node)
    return ["mrow", ["mo", "("], inner, ["mo", ")"]] if isinstance(node, ex.Sum | ex.Difference) else inner


def _joined(elements: list[Element], operator: str) -> Element:
    row: Element = ["mrow"]
    for at, element in enumerate(elements):
        row += ([["mo", operator]] if at else []) + [element]
    return row


def _name(name: str) -> Element:
    """A name such as W_Q, XW_Q, d_head, 2m or h·d_head+k, piece by piece."""
    elements = [_piece(piece) for piece in pieces(name)]
    return elements[0] if len(elements) == 1 else ["mrow", *elements]


def _piece(piece: Piece) -> Element:
    if piece.kind == "number":
        return ["mn", piece.text]
    if piece.kind == "sign":
        return ["mo", piece.text]
    if piece.kind == "word":  # MathML trims plain spaces
        return ["mtext", piece.text.replace(" ", "\u00a0")]
    name = ["mi", piece.text]
    below = _joined([_part(part) for part in piece.subscript], ",")
    below = below[1] if len(piece.subscript) == 1 else below
    above = ["mrow", ["mo", "("], ["mn", piece.layer], ["mo", ")"]]
    if piece.layer:
        return ["msubsup", name, below, above] if piece.subscript else ["msup", name, above]
    return ["msub", name, below] if piece.subscript else name


def _part(part: str) -> Element:
    """A part of a subscript; m_hat has its hat."""
    if part.endswith("_hat"):
        return ["mover", ["mi", part.removesuffix("_hat")], ["mo", "^"]]
    return ["mn", part] if part.isdigit() else ["mi", part]
