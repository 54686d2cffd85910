"""The way back through layer norm's or RMS norm's standardising."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cell, Difference, Expression, Product, Quotient, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program
from clearhead.core.spread import Spread


@dataclass(frozen=True)
class NormaliseGradient(Operation):
    """dx = (dy − mean of dy − y · mean of (y dy)) / spread of x, along the last axis; without `centred`, no mean of dy.

    y is x standardised; with `centred` it is given the mean of x after x. What all numbers of a vector gain alike is
    subtracted again with the mean, and what makes the whole vector longer is divided out again with the spread: those
    two parts of the gradient never reach x.

    Attributes:
        centred: layer norm (Ba et al. 2016); without, RMS norm (Zhang and Sennrich 2019).
        epsilon: what was added inside the root.
    """

    name = "normalise_gradient"
    centred: bool
    epsilon: float = 1e-5

    @property
    def spread(self) -> Spread:
        """What each vector was divided by."""
        return Spread(self.axes[-1], self.centred, self.epsilon)

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """dy, y and x of one shape, and the mean of x if centred, to dx."""
        gradient, y, *given = inputs
        along = (y * gradient).mean(axis=-1, keepdims=True)
        shared = gradient.mean(axis=-1, keepdims=True) if self.centred else 0.0
        spread = self.spread.of(self.spread.distances(*given))
        return (gradient - shared - y * along) / spread

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The gradient less the two parts that cannot pass, over the spread."""
        width = inputs[0].shape[-1]
        gradients, ys = ([Cell(slot, (*index[:-1], k)) for k in range(width)] for slot in range(2))
        passed: Expression = Cell(0, index)
        if self.centred:
            passed = Difference(passed, self.spread.mean_recipe(gradients))
        products = [Product((y, gradient)) for y, gradient in zip(ys, gradients, strict=True)]
        along = Product((Cell(1, index), self.spread.mean_recipe(products)))
        return Quotient(Difference(passed, along), self.spread.recipe(2, index[:-1], width))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The whole vector."""
        return [(*index[: len(self.axes) - 1], None)]

    def formula(self, output: str, *inputs: str) -> Equation:
        """(dy − mean of dy − y times the mean of y dy) over the spread of x."""
        *row, last = self.letters()
        other = f"{last}′"
        gradient, y = (Symbol(name, (*row, last)) for name in inputs[:2])
        any_gradient, any_y = (Symbol(name, (*row, other)) for name in inputs[:2])
        passed: Expression = gradient
        if self.centred:
            passed = Difference(gradient, self.spread.mean_formula(other, any_gradient))
        along = Product((y, self.spread.mean_formula(other, Product((any_y, any_gradient)))))
        spread = self.spread.formula(inputs[2:], tuple(row), other)
        return Equation(Symbol(output, (*row, last)), Quotient(Difference(passed, along), spread))

    def program(self, module: str, *inputs: str) -> Program:
        """A function of dy, y and x, and of the mean of x if centred."""
        norm, parameters, mean, centre = "rms_norm", "dy, y, x", "", ""
        if self.centred:
            norm, parameters, mean = "layer_norm", "dy, y, x, mean", " - dy.mean(-1)[..., None]"
            centre = "    x = x - mean[..., None]\n"
        helper = f"""\
def {norm}_gradient({parameters}, epsilon):
{centre}    spread = {module}.sqrt((x**2).mean(-1)[..., None] + epsilon)
    return (dy{mean} - y * (y * dy).mean(-1)[..., None]) / spread
"""
        return Program(f"{norm}_gradient({', '.join(inputs)}, {self.epsilon!r})", helper)
