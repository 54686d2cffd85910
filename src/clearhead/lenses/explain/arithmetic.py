"""Worked arithmetic as data for a view: the written tree, node by node."""

from __future__ import annotations

from clearhead.core import expression as ex
from clearhead.messages import Arithmetic
from clearhead.trace.explanation import Explanation, cell_label
from clearhead.trace.notation.reading import Shown


def arithmetic(node: ex.Expression, why: Explanation) -> Arithmetic:
    """The tree of one line of `why`; its leaves are numbers and named cells.

    Raises:
        TypeError: the tree is no worked arithmetic (it has symbols of a general formula).
    """
    parts = [arithmetic(part, why) for part in ex.children(node)]
    match node:
        case Shown(text=text, cell=ex.Cell() as cell):
            factor = why.factor(cell)
            label = cell_label(factor.quantity, factor.index)
            return {
                "kind": "cell",
                "text": text,
                "label": label,
                "quantity": factor.quantity,
                "index": list(factor.index),
            }
        case Shown(text=text, symbol=symbol):
            return (
                {"kind": "number", "text": text, "symbol": symbol}
                if symbol
                else {"kind": "number", "text": text}
            )
        case ex.Sum():
            return {"kind": "sum", "terms": parts}
        case ex.Product():
            return {"kind": "product", "factors": parts}
        case ex.Difference():
            return {"kind": "difference", "left": parts[0], "right": parts[1]}
        case ex.Quotient():
            return {"kind": "quotient", "top": parts[0], "bottom": parts[1]}
        case ex.Power():
            return {"kind": "power", "base": parts[0], "exponent": parts[1]}
        case ex.Root():
            return {"kind": "root", "of": parts[0]}
        case ex.Exp():
            return {"kind": "exp", "of": parts[0]}
        case ex.Function("sin" | "cos" | "max" | "abs" | "ln" | "tanh" | "erf" as name):
            return {"kind": "function", "name": name, "arguments": parts}
    raise TypeError(f"{type(node).__name__} has no place in worked arithmetic")
