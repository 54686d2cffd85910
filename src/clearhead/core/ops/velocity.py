"""Momentum: the direction of the next step remembers the steps before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cell, Expression, Number, Product, Sum, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program


@dataclass(frozen=True)
class Velocity(Operation):
    """μ · velocity + gradient: Polyak 1964, in the form of Sutskever et al. 2013 that torch.optim.SGD has.

    Attributes:
        momentum: μ, how much of the velocity is kept.
    """

    name = "velocity"
    momentum: float

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Velocity and gradient, of one shape, to the next velocity."""
        return self.momentum * inputs[0] + inputs[1]

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """μ · velocity + gradient."""
        return Sum((Product((Number(self.momentum, "μ"), Cell(0, index))), Cell(1, index)))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The cell at the same place."""
        return [index]

    def formula(self, output: str, *inputs: str) -> Equation:
        """μ · velocity + gradient."""
        velocity, gradient = (Symbol(name, self.letters()) for name in inputs)
        return Equation(Symbol(output, self.letters()), Sum((Product((Symbol("μ"), velocity)), gradient)))

    def program(self, module: str, *inputs: str) -> Program:
        """momentum * velocity + gradient."""
        return Program(f"{self.momentum!r} * {inputs[0]} + {inputs[1]}")
