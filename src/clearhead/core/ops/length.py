"""The length of each vector along the last axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import BigSum, Cell, Expression, Number, Power, Root, Sum, Symbol
from clearhead.core.ops.base import LETTERS, Equation, Index, Operation, Pattern, Program


@dataclass(frozen=True)
class Length(Operation):
    """The Euclidean norm along the last axis.

    Attributes:
        over: the name of the axis that is summed over.
    """

    name = "length"
    over: str

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """(..., width) to (...)."""
        return np.sqrt((inputs[0] ** 2).sum(axis=-1))

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The root of the sum of squares."""
        squares = [Power(Cell(0, (*index, k)), Number(2)) for k in range(inputs[0].shape[-1])]
        return Root(Sum(tuple(squares), over=self.over))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The length of the vector the cell is in."""
        return [index[:-1]]

    def formula(self, output: str, *inputs: str) -> Equation:
        """The root of the sum of squares."""
        square = Power(Symbol(inputs[0], (*self.letters(), LETTERS[self.over])), Number(2))
        return Equation(Symbol(output, self.letters()), Root(BigSum(LETTERS[self.over], square)))

    def program(self, module: str, *inputs: str) -> Program:
        """The root of the sum of squares."""
        return Program(f"({inputs[0]} ** 2).sum(-1) ** 0.5")
