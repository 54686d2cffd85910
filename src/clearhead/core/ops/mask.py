"""Masking: scores that may not be looked at are replaced before the softmax."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cell, Expression, Number, Symbol
from clearhead.core.ops.base import GRADIENT, Equation, Index, Made, Program, Pull
from clearhead.core.ops.mask_gradient import MaskGradient, Masking

FILLS = {"-inf": -np.inf, "0": 0.0}
"""What a forbidden score is replaced by. 0 is a well-known mistake, kept here so that it can be seen to leak."""


@dataclass(frozen=True)
class Masked(Masking):
    """Forbidden scores become −∞ (Vaswani et al. 2017, section 3.2.3), so that their weight is e^−∞ = 0.

    Attributes:
        mask: the name of a mask, see `core.masks`.
        fill: "-inf", or "0" for the mistake.
        first: see `Masking`.
    """

    name = "mask"
    fill: str

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """(heads, queries, keys), and perhaps what is allowed, to the same shape."""
        return np.where(self.hidden(*inputs), FILLS[self.fill], inputs[0])

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The score itself, or the number it is replaced by."""
        return Cell(0, index) if self.forbids(index, *inputs) is None else Number(FILLS[self.fill])

    def formula(self, output: str, *inputs: str) -> Equation:
        """The score where the mask allows it, the fill elsewhere."""
        left, score = Symbol(output, self.letters()), Symbol(inputs[0], self.letters())
        if self.mask == "none" and len(inputs) == 1:
            return Equation(left, score)
        fill = Symbol("−∞" if self.fill == "-inf" else "0")
        return Equation(left, self.cases(score, fill, *inputs[1:]))

    def program(self, module: str, *inputs: str) -> Program:
        """A `where` over the allowed cells."""
        if self.mask == "none" and len(inputs) == 1:
            return Program(inputs[0])
        return self.code(module, "mask", "0.0" if self.fill == "0" else f"-{module}.inf", *inputs)

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull | None:
        """The gradient where the score was let through, 0 elsewhere; nothing flows to what is allowed."""
        if slot:
            return None
        others = tuple(range(1, len(inputs)))
        return Pull(MaskGradient(inputs[0].axes, self.mask, first=self.first), (GRADIENT, *others))

    def note(self, index: Index, *inputs: np.ndarray) -> str | None:
        """Why a forbidden cell is forbidden."""
        reason = self.forbids(index, *inputs)
        filled = "−∞" if self.fill == "-inf" else "0, which is a mistake: e^0 = 1 still counts"
        return reason and f"masked: {reason}; its score is replaced by {filled}"
