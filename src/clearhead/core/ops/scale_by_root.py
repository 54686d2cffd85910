"""Scaling by the root of a width: embeddings times root(d_model), scores divided by root(d_head)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cell, Expression, Number, Product, Quotient, Root, Symbol
from clearhead.core.ops.base import GRADIENT, Equation, Index, Made, Operation, Pattern, Program, Pull


@dataclass(frozen=True)
class ScaleByRoot(Operation):
    """The input times, or divided by, the square root of a width.

    Vaswani et al. 2017, section 3.2.1 (scores) and section 3.4 (embeddings).

    Attributes:
        width: the number under the root.
        symbol: what the width is called, "d_model" or "d_head".
        divide: divide by the root instead of multiplying.
    """

    name = "scale_by_root"
    width: int
    symbol: str
    divide: bool

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Shape: that of the input."""
        root = math.sqrt(self.width)
        return inputs[0] / root if self.divide else inputs[0] * root

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """cell / root(d) or cell times root(d)."""
        return self._scaled(Cell(0, index), Root(Number(self.width, self.symbol)))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The cell at the same place."""
        return [index]

    def formula(self, output: str, *inputs: str) -> Equation:
        """out = in / root(d), or in times root(d)."""
        letters = self.letters()
        return Equation(
            Symbol(output, letters), self._scaled(Symbol(inputs[0], letters), Root(Symbol(self.symbol)))
        )

    def program(self, module: str, *inputs: str) -> Program:
        """in / d ** 0.5, or in * d ** 0.5."""
        return Program(f"{inputs[0]} {'/' if self.divide else '*'} {self.width} ** 0.5")

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull:
        """The gradient, scaled in the same way."""
        return Pull(ScaleByRoot(inputs[slot].axes, self.width, self.symbol, self.divide), (GRADIENT,))

    def _scaled(self, what: Expression, root: Root) -> Expression:
        return Quotient(what, root) if self.divide else Product((what, root))
