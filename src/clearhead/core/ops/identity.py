"""The identity matrix: what stands in for W_O where there is none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Expression, Number, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program


@dataclass(frozen=True)
class Identity(Operation):
    """Ones on the diagonal, zeros elsewhere.

    Attributes:
        width: rows and columns.
    """

    name = "identity"
    width: int

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """No input; (width, width)."""
        return np.eye(self.width)

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """1 or 0."""
        return Number(1.0 if index[0] == index[1] else 0.0)

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """Never asked: there is no input."""
        return []

    def formula(self, output: str, *inputs: str) -> Equation:
        """I."""
        return Equation(Symbol(output), Symbol("I"))

    def program(self, module: str, *inputs: str) -> Program:
        """eye(width)."""
        return Program(f"{module}.eye({self.width})")
