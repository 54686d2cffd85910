"""Arithmetic as LaTeX."""

from __future__ import annotations

from clearhead.core import expression as ex
from clearhead.core.ops import Equation
from clearhead.trace.notation.names import Piece, needs_brackets, pieces
from clearhead.trace.notation.numbers import MINUS
from clearhead.trace.notation.reading import MINUS_ONE, Line, Shown

SIGNS = {
    MINUS: "-",
    "·": r"\cdot ",
    "′": "'",
    "∞": r"\infty ",
    "≤": r"\le ",
    "⌊": r"\lfloor ",
    "⌋": r"\rfloor ",
}
GREEK = {"β": r"\beta", "ε": r"\epsilon", "η": r"\eta", "λ": r"\lambda", "μ": r"\mu", "π": r"\pi"}
FUNCTIONS = {"erf": r"\operatorname{erf}"}
"""Functions that LaTeX has no command for; the others have their name as one."""

SUMS = (ex.Sum, ex.Difference)
COMPOUND = (ex.Sum, ex.Difference, ex.Product, ex.Quotient, ex.Power, ex.Root, ex.Exp)


def worked(cell: ex.Symbol, lines: list[Line]) -> str:
    """An `aligned` block: the cell, then one simplification a line."""
    relations = {"=": "&=", "≈": r"&\approx"}
    rows = [f"{relations[line.relation]} {expression(line.tree)}" for line in lines]
    return "\\begin{aligned}\n" + symbol(cell) + " " + " \\\\\n".join(rows) + "\n\\end{aligned}"


def equation(formula: Equation) -> str:
    """A general formula."""
    return f"{symbol(formula.left)} = {expression(formula.right)}"


def symbol(node: ex.Symbol) -> str:
    """A name with its indices: (W_{Q})_{m,c}."""
    name = _name(node.name)
    if not node.indices:
        return name
    indices = ",".join(_name(index) for index in node.indices)
    return f"({name})_{{{indices}}}" if needs_brackets(node.name) else f"{name}_{{{indices}}}"


def _name(name: str) -> str:
    return "".join(_piece(piece) for piece in pieces(name))


def _piece(piece: Piece) -> str:
    if piece.kind == "sign":
        return SIGNS.get(piece.text, piece.text)
    if piece.kind == "word":
        return rf"\text{{{piece.text}}}"
    below = ",".join(_word(part) for part in piece.subscript)
    return (
        _word(piece.text)
        + (f"_{{{below}}}" if below else "")
        + (f"^{{({piece.layer})}}" if piece.layer else "")
    )


def _word(word: str) -> str:
    """Words upright, single letters and products of letters (XW) in italics, m_hat with its hat."""
    if word.endswith("_hat"):
        return rf"\hat{{{word.removesuffix('_hat')}}}"
    if word.isdigit() or len(word) == 1 or word.isupper():
        return GREEK.get(word, word)
    return rf"\text{{{word}}}".replace("_", r"\_")


def expression(node: ex.Expression, start: bool = True) -> str:
    """A tree; at the start of a line or a group a negative number needs no brackets."""
    match node:
        case Shown(text=text):
            written = number(text)
            return written if start or not text.startswith(MINUS) else rf"\left({written}\right)"
        case ex.Number(value, name):
            return _name(name) if name else f"{value:g}"
        case ex.Symbol():
            return symbol(node)
        case ex.Sum(terms):
            return " + ".join(expression(term, start and not at) for at, term in enumerate(terms)) or "0"
        case ex.BigSum(index, body):
            return rf"\sum_{{{_name(index)}}} {_bracketed(body, SUMS)}"
        case ex.Product((first, *factors)) if first == MINUS_ONE:
            return f"-{_bracketed(ex.Product(tuple(factors)), SUMS)}"
        case ex.Product(factors):
            return r" \cdot ".join(
                _bracketed(part, SUMS, start and not at) for at, part in enumerate(factors)
            )
        case ex.Difference(left, right):
            return f"{expression(left, start)} - {_bracketed(right, SUMS)}"
        case ex.Function(name, arguments):
            inside = ", ".join(expression(argument) for argument in arguments)
            return FUNCTIONS.get(name, "\\" + name) + rf"\left({inside}\right)"
    return _raised(node)


def _raised(node: ex.Expression) -> str:
    """Fractions, powers, roots and cases: what stands above or below the line."""
    match node:
        case ex.Quotient(top, bottom):
            return rf"\frac{{{expression(top)}}}{{{expression(bottom)}}}"
        case ex.Power(base, exponent):
            scientific = isinstance(base, Shown) and "e" in base.text
            written = rf"\left({expression(base)}\right)" if scientific else _bracketed(base, COMPOUND)
            return f"{{{written}}}^{{{expression(exponent)}}}"
        case ex.Root(of):
            return rf"\sqrt{{{expression(of)}}}"
        case ex.Exp(of):
            return f"e^{{{expression(of)}}}"
        case ex.Cases(branches):
            rows = (rf"{expression(value)} & \text{{{_prose(condition)}}}" for value, condition in branches)
            return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"
    raise TypeError(f"{type(node).__name__} cannot be written")


def number(text: str) -> str:
    """A written number: a true minus and an exponent become LaTeX's."""
    mantissa, _, exponent = text.replace(MINUS, "-").replace("∞", r"\infty").partition("e")
    return rf"{mantissa} \cdot 10^{{{exponent}}}" if exponent else mantissa


def _prose(text: str) -> str:
    """Words with signs in them, for a text command."""
    return "".join(f"${SIGNS[sign].strip()}$" if sign in SIGNS else sign for sign in text).replace("_", r"\_")


def _bracketed(node: ex.Expression, looser: tuple[type, ...], start: bool = False) -> str:
    """The tree, in brackets where it is of a looser kind."""
    return rf"\left({expression(node)}\right)" if isinstance(node, looser) else expression(node, start)
