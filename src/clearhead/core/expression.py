"""Expression trees: how one number came about, as data.

A recipe of a cell is a small tree. Its leaves are plain numbers and references to cells of the operation's inputs; its
nodes are the arithmetic a person would write down. The same nodes, with `Symbol` leaves and a `BigSum`, also write an
operation's general formula. Renderers (text, LaTeX, MathML) and the evaluator all read this one form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = [
    "BigSum", "Cases", "Cell", "Difference", "Exp", "Expression", "Function", "Number", "Power", "Product", "Quotient",
    "Root", "Sum", "Symbol", "Terms", "cells", "children", "compute", "evaluate", "terms",
]  # fmt: skip

MOST_AT_ONCE = 32
"""Terms of a sum that are made with it; those of a longer one are made when they are looked at."""


@dataclass(frozen=True)
class Number:
    """A plain number; `symbol` is what it stands for, such as d_head."""

    value: float
    symbol: str | None = None


@dataclass(frozen=True)
class Cell:
    """One cell of the operation's input number `slot`."""

    slot: int
    index: tuple[int, ...]


@dataclass(frozen=True)
class Symbol:
    """A name in a general formula, with its indices: Q with (h, i, k)."""

    name: str
    indices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sum:
    """Terms added up. `over` names what is counted, for example the axis "feature"."""

    terms: Sequence[Expression]
    over: str | None = None


class Terms(Sequence["Expression"]):
    """The terms of a long sum: each is made when it is looked at, and what all of them come to is known at once.

    A row of a long text has a term for each of its keys, of which a person reads the largest few.
    """

    def __init__(
        self, count: int, make: Callable[[int], Expression], values: Callable[[], np.ndarray]
    ) -> None:
        self._count, self._make, self._values = count, make, values

    def values(self) -> np.ndarray:
        """(terms,) float64: what each term comes to, up to rounding."""
        return self._values()

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: Any) -> Any:
        chosen = range(self._count)[place]
        return tuple(map(self._make, chosen)) if isinstance(chosen, range) else self._make(chosen)


def terms(
    count: int, make: Callable[[int], Expression], values: Callable[[], np.ndarray]
) -> Sequence[Expression]:
    """The terms of a sum: made at once if they are few; see `Terms`."""
    return tuple(map(make, range(count))) if count <= MOST_AT_ONCE else Terms(count, make, values)


@dataclass(frozen=True)
class BigSum:
    """A sum over an index in a general formula."""

    index: str
    body: Expression


@dataclass(frozen=True)
class Product:
    """Factors multiplied."""

    factors: tuple[Expression, ...]


@dataclass(frozen=True)
class Difference:
    """left − right."""

    left: Expression
    right: Expression


@dataclass(frozen=True)
class Quotient:
    """top / bottom."""

    top: Expression
    bottom: Expression


@dataclass(frozen=True)
class Power:
    """base to the power of exponent."""

    base: Expression
    exponent: Expression


@dataclass(frozen=True)
class Root:
    """The square root."""

    of: Expression


@dataclass(frozen=True)
class Exp:
    """e to the power of `of`; e^−∞ is 0."""

    of: Expression


@dataclass(frozen=True)
class Function:
    """A function written by its name: sin, cos, max, abs, ln, tanh or erf."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Cases:
    """A general formula that differs from cell to cell: pairs of an expression and, in words, where it holds."""

    branches: tuple[tuple[Expression, str], ...]


Expression = (
    Number | Cell | Symbol | Sum | BigSum | Product | Difference | Quotient | Power | Root | Exp | Function | Cases
)  # fmt: skip

FUNCTIONS: dict[str, Callable[..., float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "abs": abs,
    "ln": math.log,
    "tanh": math.tanh,
    "erf": math.erf,
    "max": lambda *values: max(values),
}


def children(node: Expression) -> Sequence[Expression]:
    """The direct parts of a node, in reading order; leaves have none."""
    match node:
        case Sum(parts) | Product(parts) | Function(_, parts):
            return parts
        case Difference(first, second) | Quotient(first, second) | Power(first, second):
            return (first, second)
        case Root(of) | Exp(of) | BigSum(_, of):
            return (of,)
    return ()


def cells(node: Expression) -> Iterator[Cell]:
    """Every reference to an input cell in the tree, in reading order, repeats included."""
    if isinstance(node, Cell):
        yield node
    for child in children(node):
        yield from cells(child)


def compute(node: Expression, values: list[float]) -> float:
    """The node's own arithmetic on the values of its children, in float64.

    Raises:
        TypeError: for a `Symbol`, `BigSum` or `Cases`, which belong to general formulas and have no value.
    """
    match node:
        case Number(value):
            return value
        case Sum():
            return float(sum(values))
        case Product():
            return float(math.prod(values))
        case Difference():
            return values[0] - values[1]
        case Quotient():
            return values[0] / values[1]
        case Power():
            return _power(values[0], values[1])
        case Root():
            return math.sqrt(values[0])
        case Exp():
            return math.exp(values[0])
        case Function(name):
            return float(FUNCTIONS[name](*values))
    raise TypeError(f"{type(node).__name__} is part of a general formula and has no value")


def _power(base: float, exponent: float) -> float:
    """base^exponent, ±∞ where that is too large, as NumPy has it and as products of floats have it."""
    try:
        return float(base**exponent)
    except OverflowError:
        return -math.inf if base < 0 and exponent % 2 == 1 else math.inf


def evaluate(node: Expression, lookup: Callable[[Cell], float]) -> float:
    """Compute the tree; `lookup` gives the value of a referenced cell."""
    if isinstance(node, Cell):
        return lookup(node)
    return compute(node, [evaluate(child, lookup) for child in children(node)])
