"""One step of AdamW."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import (
    Cell,
    Difference,
    Expression,
    Number,
    Product,
    Quotient,
    Root,
    Sum,
    Symbol,
)
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program


@dataclass(frozen=True)
class AdamWStep(Operation):
    """parameter (1 − η λ) − η m̂ / (root(v̂) + ε): Loshchilov and Hutter 2019, algorithm 2, as torch.optim.AdamW has it.

    Attributes:
        rate: η, the learning rate.
        weight_decay: λ, how strongly every parameter is drawn to 0.
        epsilon: ε, which keeps the step finite where the gradient has been 0.
    """

    name = "adamw_step"
    rate: float
    weight_decay: float
    epsilon: float

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Parameter, m̂ and v̂, of one shape, to the next parameter."""
        parameter, m_hat, v_hat = inputs
        step = self.rate * m_hat / (np.sqrt(v_hat) + self.epsilon)
        return parameter * (1 - self.rate * self.weight_decay) - step

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """parameter (1 − η λ) − η m̂ / (root(v̂) + ε)."""
        constants = (Number(self.rate, "η"), Number(self.weight_decay, "λ"), Number(self.epsilon, "ε"))
        return _written([Cell(slot, index) for slot in range(3)], constants)

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The cell at the same place."""
        return [index]

    def formula(self, output: str, *inputs: str) -> Equation:
        """parameter (1 − η λ) − η m̂ / (root(v̂) + ε)."""
        arrays = [Symbol(name, self.letters()) for name in inputs]
        return Equation(Symbol(output, self.letters()), _written(arrays, [Symbol(one) for one in "ηλε"]))

    def program(self, module: str, *inputs: str) -> Program:
        """The formula in one line."""
        parameter, m_hat, v_hat = inputs
        kept = f"{parameter} * (1 - {self.rate!r} * {self.weight_decay!r})"
        return Program(f"{kept} - {self.rate!r} * {m_hat} / ({v_hat} ** 0.5 + {self.epsilon!r})")


def _written(arrays: Sequence[Expression], constants: Sequence[Expression]) -> Expression:
    parameter, m_hat, v_hat = arrays
    rate, decay, epsilon = constants
    kept = Product((parameter, Difference(Number(1), Product((rate, decay)))))
    return Difference(kept, Quotient(Product((rate, m_hat)), Sum((Root(v_hat), epsilon))))
