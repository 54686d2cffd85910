"""Look-up: each position of the sentence takes one row of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearhead.core.expression import Cell, Expression, Symbol
from clearhead.core.ops.base import GRADIENT, Equation, Index, Made, Operation, Pattern, Program, Pull
from clearhead.core.ops.collect import Collect


@dataclass(frozen=True)
class Lookup(Operation):
    """Rows of a table, one per position; a row may be taken many times.

    Attributes:
        rows: for each position, the number of its row in the table; for a batch, one such tuple per sentence.
    """

    name = "lookup"
    rows: tuple[Any, ...]

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """(table rows, width) to (positions, width)."""
        return inputs[0][np.array(self.rows)]

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """One cell of the table."""
        *place, column = index
        return Cell(0, (int(np.array(self.rows)[tuple(place)]), column))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """Every position that took this row."""
        row, column = index
        places = np.argwhere(np.array(self.rows) == row)
        return [(*map(int, place), column) for place in places]

    def formula(self, output: str, *inputs: str) -> Equation:
        """out[i, m] = table[row of i, m]."""
        *place, column = self.letters()
        row = f"row({', '.join(place)})"
        return Equation(Symbol(output, (*place, column)), Symbol(inputs[0], (row, column)))

    def program(self, module: str, *inputs: str) -> Program:
        """table[rows]."""
        return Program(f"{inputs[0]}[{np.array(self.rows).tolist()}]")

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull:
        """Every row collects the gradients of the positions that took it."""
        return Pull(Collect(inputs[slot].axes, self.rows, self.axes, inputs[slot].shape[0]), (GRADIENT,))
