"""The way back through a look-up: every row of the table collects what the positions that took it send back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clearhead.core.expression import BigSum, Cell, Expression, Number, Sum, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program, letters_of


@dataclass(frozen=True)
class Collect(Operation):
    """dE[row] = the sum of the gradients of all positions that took the row; 0 for a row that none took.

    Attributes:
        rows: for each position, the number of its row in the table; for a batch, one such tuple per sentence.
        of: the axes of the gradient that is collected.
        size: how many rows the table has.
    """

    name = "collect"
    rows: tuple[Any, ...]
    of: tuple[str, ...]
    size: int

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """(positions, width) to (table rows, width)."""
        collected = np.zeros((self.size, inputs[0].shape[-1]))
        np.add.at(collected, np.array(self.rows), inputs[0])
        return collected

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The sum over the positions that took the row."""
        terms = tuple(Cell(0, (*place, index[-1])) for place in self._places(index[0]))
        return Sum(terms, over=" and ".join(self.of[:-1])) if terms else Number(0)

    def _places(self, row: int) -> list[Index]:
        return [tuple(map(int, place)) for place in np.argwhere(np.array(self.rows) == row)]

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The row that the position took."""
        return [(int(np.array(self.rows)[index[:-1]]), index[-1])]

    def formula(self, output: str, *inputs: str) -> Equation:
        """The sum over the positions i with row(i) = w."""
        *place, column = letters_of(self.of)
        taken = f"row({', '.join(place)})={self.letters()[0]}"
        return Equation(Symbol(output, self.letters()), BigSum(taken, Symbol(inputs[0], (*place, column))))

    def program(self, module: str, *inputs: str) -> Program:
        """A function of the gradient, the rows and the size of the table."""
        rows = np.array(self.rows).ravel().tolist()
        make = "np.eye({size})[:, rows]" if module == "np" else "torch.eye({size})[:, rows]"
        helper = f"""\
def collect(gradient, rows, size):
    taken = {make.format(size="size")}
    return taken @ gradient.reshape(len(rows), -1)
"""
        return Program(f"collect({inputs[0]}, {rows}, {self.size})", helper)

    def note(self, index: Index, *inputs: np.ndarray) -> str | None:
        """Says when nothing or more than one position contributes."""
        count = len(self._places(index[0]))
        if count == 0:
            return "no position took this row, so nothing flows back to it"
        return None if count == 1 else f"{count} positions took this row, and each sends its part back"
