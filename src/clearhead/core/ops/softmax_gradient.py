"""The way back through a softmax."""

from __future__ import annotations

import numpy as np

from clearhead.core.expression import BigSum, Cell, Difference, Expression, Product, Sum, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program


class SoftmaxGradient(Operation):
    """dscore[j] = weight[j] (dweight[j] − the sum over j' of weight[j'] dweight[j']), along the last axis.

    What a weight gains, the others lose: only by how much its gradient differs from the row's mean, weighted by the
    weights themselves, does a score move. The product with the softmax's Jacobian (weight[j] (δ[j, j'] − weight[j'])).
    """

    name = "softmax_gradient"

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """The gradient of the weights, and the weights, to the gradient of the scores; one shape."""
        gradient, weights = inputs
        return weights * (gradient - (weights * gradient).sum(axis=-1, keepdims=True))

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """weight (gradient − the row's mean gradient)."""
        *row, _ = index
        mean = tuple(
            Product((Cell(1, (*row, other)), Cell(0, (*row, other)))) for other in range(inputs[0].shape[-1])
        )
        return Product((Cell(1, index), Difference(Cell(0, index), Sum(mean, over=self.axes[-1]))))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The whole row."""
        return [(*index[:-1], None)]

    def formula(self, output: str, *inputs: str) -> Equation:
        """weight (gradient − sum of weight times gradient)."""
        *row, last = self.letters()
        gradient, weight = (Symbol(name, (*row, last)) for name in inputs)
        any_gradient, any_weight = (Symbol(name, (*row, f"{last}′")) for name in inputs)
        mean = BigSum(f"{last}′", Product((any_weight, any_gradient)))
        return Equation(Symbol(output, (*row, last)), Product((weight, Difference(gradient, mean))))

    def program(self, module: str, *inputs: str) -> Program:
        """A function of the gradient and the weights."""
        helper = """\
def softmax_gradient(gradient, weights):
    return weights * (gradient - (weights * gradient).sum(-1)[..., None])
"""
        return Program(f"softmax_gradient({inputs[0]}, {inputs[1]})", helper)

    def note(self, index: Index, *inputs: np.ndarray) -> str | None:
        """Says why nothing flows to a score whose weight is 0."""
        return None if inputs[1][index] else "its weight is exactly 0, so nothing flows back through it"
