"""Copy: a step that is switched off hands its input on unchanged, so that every quantity keeps its place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clearhead.core.expression import Cell, Expression, Symbol
from clearhead.core.ops.base import GRADIENT, Equation, Index, Made, Operation, Pattern, Program, Pull


class Copy(Operation):
    """The input, unchanged; only the names of the axes may differ."""

    name = "copy"

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Shape: that of the input."""
        return inputs[0].copy()

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The same cell of the input."""
        return Cell(0, index)

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The same cell of the result."""
        return [index]

    def formula(self, output: str, *inputs: str) -> Equation:
        """out = in."""
        return Equation(Symbol(output, self.letters()), Symbol(inputs[0], self.letters()))

    def program(self, module: str, *inputs: str) -> Program:
        """in."""
        return Program(inputs[0])

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull:
        """The gradient, unchanged."""
        return Pull(Copy(inputs[slot].axes), (GRADIENT,))
