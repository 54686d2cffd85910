"""Look-up: each position of the sentence takes one row of a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cell, Expression, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program


@dataclass(frozen=True)
class Lookup(Operation):
    """Rows of a table, one per position; a row may be taken many times.

    Attributes:
        rows: for each position, the number of its row in the table.
    """

    name = "lookup"
    rows: tuple[int, ...]

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """(table rows, width) to (positions, width)."""
        return inputs[0][list(self.rows)]

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """One cell of the table."""
        position, column = index
        return Cell(0, (self.rows[position], column))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """Every position that took this row."""
        row, column = index
        return [(position, column) for position, taken in enumerate(self.rows) if taken == row]

    def formula(self, output: str, *inputs: str) -> Equation:
        """out[i, m] = table[row of i, m]."""
        position, column = self.letters()
        return Equation(Symbol(output, (position, column)), Symbol(inputs[0], (f"row({position})", column)))

    def program(self, module: str, *inputs: str) -> Program:
        """table[rows]."""
        return Program(f"{inputs[0]}[{list(self.rows)}]")
