"""Masking: scores that may not be looked at are replaced before the softmax."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cases, Cell, Expression, Number, Symbol
from clearhead.core.masks import mask_named
from clearhead.core.ops.base import GRADIENT, Equation, Index, Made, Operation, Pattern, Program, Pull
from clearhead.core.ops.mask_gradient import MaskGradient

FILLS = {"-inf": -np.inf, "0": 0.0}
"""What a forbidden score is replaced by. 0 is a well-known mistake, kept here so that it can be seen to leak."""


@dataclass(frozen=True)
class Masked(Operation):
    """Forbidden scores become −∞ (Vaswani et al. 2017, section 3.2.3), so that their weight is e^−∞ = 0.

    Attributes:
        mask: the name of a predicate in `core.masks`.
        fill: "-inf", or "0" for the mistake.
    """

    name = "mask"
    mask: str
    fill: str

    def hidden(self, *inputs: np.ndarray) -> np.ndarray:
        """True where the mask forbids the key."""
        return ~np.broadcast_to(mask_named(self.mask).table(*inputs[0].shape[-2:]), inputs[0].shape)

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """(heads, queries, keys) to the same shape."""
        return np.where(self.hidden(*inputs), FILLS[self.fill], inputs[0])

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The score itself, or the number it is replaced by."""
        return Cell(0, index) if self._allows(index) else Number(FILLS[self.fill])

    def _allows(self, index: Index) -> bool:
        return bool(mask_named(self.mask).allows(np.array(index[-2]), np.array(index[-1])))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The same cell, unless it is forbidden: then nothing."""
        return [index] if self._allows(index) else []

    def formula(self, output: str, *inputs: str) -> Equation:
        """The score where the mask allows it, the fill elsewhere."""
        score = Symbol(inputs[0], self.letters())
        if self.mask == "none":
            return Equation(Symbol(output, self.letters()), score)
        fill = Symbol("−∞" if self.fill == "-inf" else "0")
        cases = Cases(((score, f"where {mask_named(self.mask).rule}"), (fill, "elsewhere")))
        return Equation(Symbol(output, self.letters()), cases)

    def program(self, module: str, *inputs: str) -> Program:
        """A `where` over the allowed cells."""
        fill = "0.0" if self.fill == "0" else f"-{module}.inf"
        helper = f"""\
def mask(scores):
    query, key = {module}.arange(scores.shape[-2])[:, None], {module}.arange(scores.shape[-1])
    return {module}.where({mask_named(self.mask).program}, scores, {fill})
"""
        return Program(inputs[0]) if self.mask == "none" else Program(f"mask({inputs[0]})", helper)

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull:
        """The gradient where the score was let through, 0 elsewhere."""
        return Pull(MaskGradient(inputs[slot].axes, self.mask), (GRADIENT,))

    def note(self, index: Index, *inputs: np.ndarray) -> str | None:
        """Why a forbidden cell is forbidden."""
        if self._allows(index):
            return None
        reason = mask_named(self.mask).forbids.format(query=index[-2], key=index[-1])
        filled = "−∞" if self.fill == "-inf" else "0, which is a mistake: e^0 = 1 still counts"
        return f"masked: {reason}; its score is replaced by {filled}"
