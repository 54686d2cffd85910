"""One step downhill: the update of gradient descent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cell, Difference, Expression, Number, Product, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program


@dataclass(frozen=True)
class Descend(Operation):
    """parameter − η · direction, where the direction is the gradient or a velocity (Robbins and Monro 1951).

    Attributes:
        rate: η, the learning rate.
    """

    name = "descend"
    rate: float

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Parameter and direction, of one shape, to the next parameter."""
        return inputs[0] - self.rate * inputs[1]

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """parameter − η · direction."""
        return Difference(Cell(0, index), Product((Number(self.rate, "η"), Cell(1, index))))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The cell at the same place."""
        return [index]

    def formula(self, output: str, *inputs: str) -> Equation:
        """parameter − η · direction."""
        parameter, direction = (Symbol(name, self.letters()) for name in inputs)
        step = Product((Symbol("η"), direction))
        return Equation(Symbol(output, self.letters()), Difference(parameter, step))

    def program(self, module: str, *inputs: str) -> Program:
        """parameter - rate * direction."""
        return Program(f"{inputs[0]} - {self.rate!r} * {inputs[1]}")
