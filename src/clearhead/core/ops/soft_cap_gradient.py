"""The way back through a soft cap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cell, Difference, Expression, Number, Power, Product, Quotient, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program


@dataclass(frozen=True)
class SoftCapGradient(Operation):
    """dx = dy (1 − (y / cap)²), with y = cap · tanh(x / cap): the slope of tanh is 1 − tanh².

    The nearer a number came to the cap, the less its score can still move it.

    Attributes:
        cap: the limit, above 0.
    """

    name = "soft_cap_gradient"
    cap: float

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """The gradient of the result, and the result, to the gradient of the input; one shape."""
        return inputs[0] * (1 - (inputs[1] / self.cap) ** 2)

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """gradient (1 − (result / cap)²)."""
        return _slowed(Cell(0, index), Cell(1, index), Number(self.cap, "cap"))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The cell at the same place."""
        return [index]

    def formula(self, output: str, *inputs: str) -> Equation:
        """out = gradient (1 − (result / cap)²)."""
        gradient, result = (Symbol(name, self.letters()) for name in inputs)
        return Equation(Symbol(output, self.letters()), _slowed(gradient, result, Symbol("cap")))

    def program(self, module: str, *inputs: str) -> Program:
        """The formula."""
        return Program(f"{inputs[0]} * (1 - ({inputs[1]} / {self.cap!r}) ** 2)")


def _slowed(gradient: Expression, result: Expression, cap: Expression) -> Expression:
    slope = Difference(Number(1), Power(Quotient(result, cap), Number(2)))
    return Product((gradient, slope))
