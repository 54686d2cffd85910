"""The way back through a mask."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cases, Cell, Expression, Number, Symbol
from clearhead.core.masks import mask_named
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program


@dataclass(frozen=True)
class MaskGradient(Operation):
    """A score that was let through gets the gradient; one that was replaced has no part in the result, and gets 0.

    Attributes:
        mask: the name of a predicate in `core.masks`.
    """

    name = "mask_gradient"
    mask: str

    def hidden(self, *inputs: np.ndarray) -> np.ndarray:
        """True where the mask forbids the key."""
        return ~np.broadcast_to(mask_named(self.mask).table(*inputs[0].shape[-2:]), inputs[0].shape)

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Shape: that of the input."""
        return np.where(self.hidden(*inputs), 0.0, inputs[0])

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The gradient, or 0."""
        return Cell(0, index) if self._allows(index) else Number(0)

    def _allows(self, index: Index) -> bool:
        return bool(mask_named(self.mask).allows(np.array(index[-2]), np.array(index[-1])))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The same cell, unless it is forbidden: then nothing."""
        return [index] if self._allows(index) else []

    def formula(self, output: str, *inputs: str) -> Equation:
        """The gradient where the mask allows it, 0 elsewhere."""
        gradient = Symbol(inputs[0], self.letters())
        if self.mask == "none":
            return Equation(Symbol(output, self.letters()), gradient)
        cases = Cases(((gradient, f"where {mask_named(self.mask).rule}"), (Number(0), "elsewhere")))
        return Equation(Symbol(output, self.letters()), cases)

    def program(self, module: str, *inputs: str) -> Program:
        """A `where` over the allowed cells."""
        helper = f"""\
def mask_gradient(gradient):
    query, key = {module}.arange(gradient.shape[-2])[:, None], {module}.arange(gradient.shape[-1])
    return {module}.where({mask_named(self.mask).program}, gradient, 0.0)
"""
        return Program(inputs[0]) if self.mask == "none" else Program(f"mask_gradient({inputs[0]})", helper)

    def note(self, index: Index, *inputs: np.ndarray) -> str | None:
        """Why nothing flows to a forbidden score."""
        if self._allows(index):
            return None
        reason = mask_named(self.mask).forbids.format(query=index[-2], key=index[-1])
        return f"masked: {reason}; the score was replaced, so nothing flows back to it"
