"""Worked arithmetic: a tree of numbers, cells and the operations between them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class NumberNode(TypedDict):
    """A number, ready to be shown; `symbol` is what it stands for."""

    kind: Literal["number"]
    text: str
    symbol: NotRequired[str]


class CellNode(TypedDict):
    """A number that is a cell of another quantity."""

    kind: Literal["cell"]
    text: str
    label: str
    quantity: str
    index: list[int]


class SumNode(TypedDict):
    """Terms added up."""

    kind: Literal["sum"]
    terms: list[Arithmetic]


class ProductNode(TypedDict):
    """Factors multiplied."""

    kind: Literal["product"]
    factors: list[Arithmetic]


class DifferenceNode(TypedDict):
    """left − right."""

    kind: Literal["difference"]
    left: Arithmetic
    right: Arithmetic


class QuotientNode(TypedDict):
    """top / bottom."""

    kind: Literal["quotient"]
    top: Arithmetic
    bottom: Arithmetic


class PowerNode(TypedDict):
    """base to the power of exponent."""

    kind: Literal["power"]
    base: Arithmetic
    exponent: Arithmetic


class RootNode(TypedDict):
    """A square root."""

    kind: Literal["root"]
    of: Arithmetic


class ExpNode(TypedDict):
    """e to the power of `of`."""

    kind: Literal["exp"]
    of: Arithmetic


class FunctionNode(TypedDict):
    """A function written by its name."""

    kind: Literal["function"]
    name: Literal["sin", "cos", "max", "abs", "ln", "tanh", "erf"]
    arguments: list[Arithmetic]


Arithmetic = (
    NumberNode | CellNode | SumNode | ProductNode | DifferenceNode | QuotientNode | PowerNode | RootNode | ExpNode
    | FunctionNode
)  # fmt: skip
"""A node of worked arithmetic."""
