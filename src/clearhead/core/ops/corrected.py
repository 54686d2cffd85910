"""Adam's correction: a running mean that began at 0 is too small at first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cell, Difference, Expression, Number, Power, Quotient, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program
from clearhead.core.ops.moment import symbol_of_beta


@dataclass(frozen=True)
class Corrected(Operation):
    """moment / (1 − β^t): Kingma and Ba 2015, section 3.

    Attributes:
        beta: β₁ or β₂, how much of the moment is kept from step to step.
        power: 1 for the mean of the gradients, 2 for that of their squares.
        step: t, how many steps went into the moment; 1 or more.
    """

    name = "corrected"
    beta: float
    power: int
    step: int

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Shape: that of the input."""
        return inputs[0] / (1 - self.beta**self.step)

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """moment / (1 − β^t)."""
        beta = Number(self.beta, symbol_of_beta(self.power))
        return Quotient(Cell(0, index), Difference(Number(1), Power(beta, Number(self.step, "t"))))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The cell at the same place."""
        return [index]

    def formula(self, output: str, *inputs: str) -> Equation:
        """moment / (1 − β^t)."""
        kept = Power(Symbol(symbol_of_beta(self.power)), Symbol("t"))
        corrected = Quotient(Symbol(inputs[0], self.letters()), Difference(Number(1), kept))
        return Equation(Symbol(output, self.letters()), corrected)

    def program(self, module: str, *inputs: str) -> Program:
        """moment / (1 - beta ** step)."""
        return Program(f"{inputs[0]} / (1 - {self.beta!r} ** {self.step})")
