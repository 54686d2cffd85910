"""Adam's memory: running means of the gradients and of their squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cell, Difference, Expression, Number, Power, Product, Sum, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program


@dataclass(frozen=True)
class Moment(Operation):
    """β · moment + (1 − β) · gradient^power: Kingma and Ba 2015, algorithm 1.

    Attributes:
        beta: β₁ or β₂, how much of the moment is kept.
        power: 1 for the mean of the gradients, 2 for that of their squares.
    """

    name = "moment"
    beta: float
    power: int

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Moment and gradient, of one shape, to the next moment."""
        gradient = inputs[1] if self.power == 1 else inputs[1] * inputs[1]
        return self.beta * inputs[0] + (1 - self.beta) * gradient

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """β · moment + (1 − β) · gradient^power."""
        return self._written(Cell(0, index), Cell(1, index), Number(self.beta, symbol_of_beta(self.power)))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The cell at the same place."""
        return [index]

    def formula(self, output: str, *inputs: str) -> Equation:
        """β · moment + (1 − β) · gradient^power."""
        moment, gradient = (Symbol(name, self.letters()) for name in inputs)
        return Equation(
            Symbol(output, self.letters()),
            self._written(moment, gradient, Symbol(symbol_of_beta(self.power))),
        )

    def program(self, module: str, *inputs: str) -> Program:
        """beta * moment + (1 - beta) * gradient ** power."""
        gradient = inputs[1] if self.power == 1 else f"{inputs[1]} ** {self.power}"
        return Program(f"{self.beta!r} * {inputs[0]} + (1 - {self.beta!r}) * {gradient}")

    def _written(self, moment: Expression, gradient: Expression, beta: Expression) -> Expression:
        raised = gradient if self.power == 1 else Power(gradient, Number(self.power))
        return Sum((Product((beta, moment)), Product((Difference(Number(1), beta), raised))))


def symbol_of_beta(power: int) -> str:
    """β₁ for the mean of the gradients, β₂ for that of their squares."""
    return "β₁" if power == 1 else "β₂"
