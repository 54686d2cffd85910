"""Weights as a person set them: some cells replaced, the others as they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cases, Cell, Expression, Number, Symbol
from clearhead.core.ops.base import GRADIENT, Equation, Index, Made, Operation, Pattern, Program, Pull


@dataclass(frozen=True)
class SetCells(Operation):
    """The input with some cells replaced by given numbers, in every head where there are several.

    The rest of a row is left alone, so a row of weights need not add up to 1 any more: that is the question asked, what
    comes of this one number. Nothing else would be one change.

    Attributes:
        cells: (query, key, number) of each, no place twice.
        first: the query whose row is the first of the input; what was set in rows that are not there is left out.
    """

    name = "set_cells"
    cells: tuple[tuple[int, int, float], ...]
    first: int = 0

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """(queries, keys), heads in front or not, to the same shape."""
        result = inputs[0].copy()
        for row, key, number in self._here(inputs[0].shape[-2]):
            result[..., row, key] = number
        return result

    def _here(self, rows: int) -> list[tuple[int, int, float]]:
        """What was set in the rows that are there, by row."""
        placed = ((query - self.first, key, number) for query, key, number in self.cells)
        return [(row, key, number) for row, key, number in placed if 0 <= row < rows]

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The number that was set, or the cell itself."""
        number = self._set(index)
        return Cell(0, index) if number is None else Number(number)

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The cell at the same place, unless that was set."""
        return [index] if self._set(index) is None else []

    def formula(self, output: str, *inputs: str) -> Equation:
        """The number at each place that was set, the input elsewhere."""
        letters = self.letters()
        query, key = letters[-2:]
        branches = [(Number(number), f"where {query} = {i} and {key} = {j}") for i, j, number in self.cells]
        through = Symbol(inputs[0], letters)
        return Equation(Symbol(output, letters), Cases((*branches, (through, "elsewhere"))))

    def program(self, module: str, *inputs: str) -> Program:
        """A copy with the cells written into it."""
        copy = "clone" if module == "torch" else "copy"
        helper = f"""\
def set_cells(x, cells, first=0):
    x = x.{copy}()
    for query, key, number in cells:
        if 0 <= query - first < x.shape[-2]:
            x[..., query - first, key] = number
    return x
"""
        first = f", {self.first}" if self.first else ""
        return Program(f"set_cells({inputs[0]}, {self.cells!r}{first})", helper)

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull:
        """The gradient, but 0 where the cell was set."""
        nothing = tuple((query, key, 0.0) for query, key, _ in self.cells)
        return Pull(SetCells(inputs[slot].axes, nothing, self.first), (GRADIENT,))

    def note(self, index: Index, *inputs: np.ndarray) -> str | None:
        """What a cell that was set was before, and what its row adds up to now."""
        if self._set(index) is None:
            return None
        row = self.forward(inputs[0])[index[:-1]]
        return f"set by hand; it was {inputs[0][index]:.3g}; the row now adds up to {row.sum():.3g}"

    def _set(self, index: Index) -> float | None:
        row, key = index[-2:]
        place = (self.first + row, key)
        return next((number for *cell, number in self.cells if tuple(cell) == place), None)
