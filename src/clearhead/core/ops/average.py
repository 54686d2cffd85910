"""The mean of each vector along the last axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import BigSum, Cell, Expression, Number, Quotient, Sum, Symbol
from clearhead.core.ops.base import LETTERS, Equation, Index, Operation, Pattern, Program


@dataclass(frozen=True)
class Average(Operation):
    """The sum along the last axis over how many numbers there are: what layer norm subtracts (Ba et al. 2016).

    It has no `backward`: what flows to the mean is counted where it is subtracted; see `ops.normalise`.

    Attributes:
        over: the name of the axis that is averaged over.
    """

    name = "average"
    over: str

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """(..., width) to (...)."""
        return inputs[0].mean(axis=-1)

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The sum of the vector's cells over their number."""
        width = inputs[0].shape[-1]
        vector = tuple(Cell(0, (*index, place)) for place in range(width))
        return Quotient(Sum(vector, over=self.over), Number(width, f"d_{self.over}"))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The mean of the vector the cell is in."""
        return [index[:-1]]

    def formula(self, output: str, *inputs: str) -> Equation:
        """The sum over the last index, over the width."""
        last = LETTERS[self.over]
        total = BigSum(last, Symbol(inputs[0], (*self.letters(), last)))
        return Equation(Symbol(output, self.letters()), Quotient(total, Symbol(f"d_{self.over}")))

    def program(self, module: str, *inputs: str) -> Program:
        """The mean of the last axis."""
        return Program(f"{inputs[0]}.mean(-1)")
