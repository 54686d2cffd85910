"""The way back through an activation."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import indent

import numpy as np

from clearhead.core.curves import curve_named
from clearhead.core.expression import Cases, Cell, Expression, Number, Product, Symbol, cells
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program


@dataclass(frozen=True)
class ActivationGradient(Operation):
    """The gradient of the result times the activation's slope at the input, cell by cell: the chain rule.

    Attributes:
        kind: "relu", "gelu", "gelu_tanh" or "swish".
    """

    name = "activation_gradient"
    kind: str

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """The gradient of the result, and the activation's input, to the gradient of that input; one shape."""
        return inputs[0] * curve_named(self.kind).slope(inputs[1])

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """gradient times slope."""
        slope = curve_named(self.kind).slope_written(Cell(1, index), float(inputs[1][index]))
        return _times(Cell(0, index), slope)

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The cell at the same place, unless the slope there is 0 or 1 whatever the exact number."""
        return [index] if Cell(slot, index) in cells(self.recipe(index, *inputs)) else []

    def formula(self, output: str, *inputs: str) -> Equation:
        """out = gradient times slope."""
        gradient, x = (Symbol(name, self.letters()) for name in inputs)
        slope = curve_named(self.kind).slope_written(x)
        return Equation(Symbol(output, self.letters()), _times(gradient, slope))

    def program(self, module: str, *inputs: str) -> Program:
        """gradient * slope, the slope by the activation's name."""
        body = indent(curve_named(self.kind).slope_code(module), "    ")
        helper = f"def {self.kind}_slope(x):\n{body}\n"
        return Program(f"{inputs[0]} * {self.kind}_slope({inputs[1]})", helper)

    def note(self, index: Index, *inputs: np.ndarray) -> str | None:
        """Says where the gradient stops, or passes as it is."""
        if self.kind != "relu":
            return None
        if inputs[1][index] > 0:
            return "the input is above 0, where ReLU passes numbers on unchanged: so does the gradient"
        return "the input is not above 0, where ReLU gives 0 whatever it is: nothing flows back"


def _times(gradient: Expression, slope: Expression) -> Expression:
    """The product; a slope that is 1 or 0 by its definition is no factor to write down."""
    match slope:
        case Cases(branches):
            return Cases(tuple((_times(gradient, value), where) for value, where in branches))
        case Number(1):
            return gradient
        case Number(0):
            return slope
    return Product((gradient, slope))
