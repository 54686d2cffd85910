"""Scaling by one number, such as the temperature that logits are divided by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cell, Expression, Number, Product, Quotient, Symbol
from clearhead.core.ops.base import GRADIENT, Equation, Index, Made, Operation, Pattern, Program, Pull


@dataclass(frozen=True)
class ScaleBy(Operation):
    """The input times, or divided by, one number.

    Logits divided by a temperature above 1 give more even probabilities, below 1 more decided ones (Hinton et al.
    2015, Distilling the knowledge in a neural network, section 2).

    Attributes:
        factor: the number.
        symbol: what it is called, such as "temperature".
        divide: divide by it instead of multiplying.
    """

    name = "scale_by"
    factor: float
    symbol: str
    divide: bool

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Shape: that of the input."""
        return inputs[0] / self.factor if self.divide else inputs[0] * self.factor

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """cell / factor, or cell times factor."""
        return self._scaled(Cell(0, index), Number(self.factor, self.symbol))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The cell at the same place."""
        return [index]

    def formula(self, output: str, *inputs: str) -> Equation:
        """out = in / factor, or in times factor."""
        letters = self.letters()
        return Equation(
            Symbol(output, letters), self._scaled(Symbol(inputs[0], letters), Symbol(self.symbol))
        )

    def program(self, module: str, *inputs: str) -> Program:
        """in / factor, or in * factor."""
        return Program(f"{inputs[0]} {'/' if self.divide else '*'} {self.factor!r}")

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull:
        """The gradient, scaled in the same way."""
        return Pull(ScaleBy(inputs[slot].axes, self.factor, self.symbol, self.divide), (GRADIENT,))

    def _scaled(self, what: Expression, factor: Expression) -> Expression:
        return Quotient(what, factor) if self.divide else Product((what, factor))
