"""Soft cap: scores are bent so that none reaches a limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cell, Expression, Function, Number, Product, Quotient, Symbol
from clearhead.core.ops.base import GRADIENT, OUTPUT, Equation, Index, Made, Operation, Pattern, Program, Pull
from clearhead.core.ops.soft_cap_gradient import SoftCapGradient

BENT_FROM = 0.5
"""From this share of the cap on the bend is worth a word: tanh(0.5) is 0.46, already a tenth less."""


@dataclass(frozen=True)
class SoftCap(Operation):
    """cap · tanh(x / cap): almost x where x is small beside the cap, never beyond it.

    Gemma Team 2024 (Gemma 2), section 2, "logit soft-capping".

    Attributes:
        cap: the limit, above 0.
    """

    name = "soft_cap"
    cap: float

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Shape: that of the input; every number lies between −cap and cap."""
        return self.cap * np.tanh(inputs[0] / self.cap)

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """cap tanh(cell / cap)."""
        return _capped(Cell(0, index), Number(self.cap, "cap"))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The cell at the same place."""
        return [index]

    def formula(self, output: str, *inputs: str) -> Equation:
        """out = cap tanh(in / cap)."""
        letters = self.letters()
        return Equation(Symbol(output, letters), _capped(Symbol(inputs[0], letters), Symbol("cap")))

    def program(self, module: str, *inputs: str) -> Program:
        """The formula."""
        return Program(f"{self.cap!r} * {module}.tanh({inputs[0]} / {self.cap!r})")

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull:
        """From the gradient and the result alone: see `SoftCapGradient`."""
        return Pull(SoftCapGradient(inputs[slot].axes, self.cap), (GRADIENT, OUTPUT))

    def note(self, index: Index, *inputs: np.ndarray) -> str | None:
        """Says where the cap takes something away that counts."""
        if abs(inputs[0][index]) < BENT_FROM * self.cap:
            return None
        return f"the soft cap holds this number back: none goes beyond {self.cap:g} or below −{self.cap:g}"


def _capped(x: Expression, cap: Expression) -> Expression:
    return Product((cap, Function("tanh", (Quotient(x, cap),))))
