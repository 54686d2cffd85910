"""The activation between the two matrices of a feed-forward network, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import indent

import numpy as np

from clearhead.core.curves import curve_named
from clearhead.core.expression import Cell, Expression, Symbol
from clearhead.core.ops.activation_gradient import ActivationGradient
from clearhead.core.ops.base import GRADIENT, Equation, Index, Made, Operation, Pattern, Program, Pull


@dataclass(frozen=True)
class Activation(Operation):
    """A function of one number, applied to every cell; see `core.curves` for the functions and their sources.

    Attributes:
        kind: "relu", "gelu", "gelu_tanh" or "swish".
    """

    name = "activation"
    kind: str

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Shape: that of the input."""
        return curve_named(self.kind).value(inputs[0])

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The function at the cell."""
        return curve_named(self.kind).written(Cell(0, index), float(inputs[0][index]))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The cell at the same place."""
        return [index]

    def formula(self, output: str, *inputs: str) -> Equation:
        """out = the function of in."""
        letters = self.letters()
        return Equation(Symbol(output, letters), curve_named(self.kind).written(Symbol(inputs[0], letters)))

    def program(self, module: str, *inputs: str) -> Program:
        """The function, by its name."""
        body = indent(curve_named(self.kind).code(module), "    ")
        return Program(f"{self.kind}({inputs[0]})", f"def {self.kind}(x):\n{body}\n")

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull:
        """The gradient times the slope at the input."""
        return Pull(ActivationGradient(inputs[0].axes, self.kind), (GRADIENT, 0))
