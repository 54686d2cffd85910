"""How strongly a softmax weight still reacts to its own score."""

from __future__ import annotations

import numpy as np

from clearhead.core.expression import Cell, Difference, Expression, Number, Product, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program


class Sensitivity(Operation):
    """The softmax's own derivative: d weight / d score = weight (1 − weight), at most 1/4."""

    name = "sensitivity"

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Shape: that of the input."""
        return inputs[0] * (1 - inputs[0])

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """weight (1 − weight)."""
        return Product((Cell(0, index), Difference(Number(1), Cell(0, index))))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The cell at the same place."""
        return [index]

    def formula(self, output: str, *inputs: str) -> Equation:
        """weight (1 − weight)."""
        weight = Symbol(inputs[0], self.letters())
        return Equation(Symbol(output, self.letters()), Product((weight, Difference(Number(1), weight))))

    def program(self, module: str, *inputs: str) -> Program:
        """weight * (1 - weight)."""
        return Program(f"{inputs[0]} * (1 - {inputs[0]})")
