"""Addition of two arrays of one shape, cell by cell."""

from __future__ import annotations

import numpy as np

from clearhead.core.expression import Cell, Expression, Sum, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program


class Add(Operation):
    """left + right."""

    name = "add"

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Two arrays of one shape to their sum."""
        return inputs[0] + inputs[1]

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The two cells at the same place."""
        return Sum((Cell(0, index), Cell(1, index)))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The cell at the same place."""
        return [index]

    def formula(self, output: str, *inputs: str) -> Equation:
        """out = left + right."""
        letters = self.letters()
        return Equation(
            Symbol(output, letters), Sum((Symbol(inputs[0], letters), Symbol(inputs[1], letters)))
        )

    def program(self, module: str, *inputs: str) -> Program:
        """left + right."""
        return Program(f"{inputs[0]} + {inputs[1]}")
