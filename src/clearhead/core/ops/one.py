"""One: the number that going backwards starts from."""

from __future__ import annotations

import numpy as np

from clearhead.core.expression import Expression, Number, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program


class One(Operation):
    """The gradient of the loss with respect to itself: dloss/dloss = 1."""

    name = "one"

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """No input; a single number, without axes."""
        return np.ones(())

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """1."""
        return Number(1)

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """Never asked: there is no input."""
        return []

    def formula(self, output: str, *inputs: str) -> Equation:
        """out = 1."""
        return Equation(Symbol(output), Number(1))

    def program(self, module: str, *inputs: str) -> Program:
        """A 1 without axes."""
        return Program(f"{module}.ones(())")
