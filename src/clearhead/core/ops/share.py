"""What share of a sum each of its parts is, measured along the sum's own direction."""

from __future__ import annotations

import numpy as np

from clearhead.core.expression import BigSum, Cell, Expression, Number, Power, Product, Quotient, Sum, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program


class Share(Operation):
    """share[i, j] = part[i, j] · whole[i] / |whole[i]|^2, so that the shares of one whole sum to 1.

    A negative share pulls against the whole. Where the square of the whole is 0 there is nothing to share: 0.
    """

    name = "share"

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """(queries, keys, width) and (queries, width) to (queries, keys)."""
        along = (inputs[0] * inputs[1][:, None, :]).sum(axis=-1)
        size = _squares(inputs[1])[:, None]
        return np.divide(along, size, out=np.zeros_like(along), where=size > 0)

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The product with the whole, over the whole's square."""
        query, key = index
        if not _squares(inputs[1])[query]:
            return Number(0)
        width = range(inputs[1].shape[-1])
        along = tuple(Product((Cell(0, (query, key, m)), Cell(1, (query, m)))) for m in width)
        size = tuple(Power(Cell(1, (query, m)), Number(2)) for m in width)
        return Quotient(Sum(along, over="model"), Sum(size, over="model"))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """A part: its own share; the whole: every share of its row. Nothing where the whole is zero."""
        if not _squares(inputs[1])[index[0]]:
            return []
        return [index[:-1]] if slot == 0 else [(index[0], None)]

    def formula(self, output: str, *inputs: str) -> Equation:
        """part · whole / |whole|^2."""
        part, whole = Symbol(inputs[0], ("i", "j", "m")), Symbol(inputs[1], ("i", "m"))
        size = BigSum("m", Power(whole, Number(2)))
        return Equation(Symbol(output, self.letters()), Quotient(BigSum("m", Product((part, whole))), size))

    def program(self, module: str, *inputs: str) -> Program:
        """A function of the parts and the whole."""
        helper = f"""\
def share(parts, whole):
    along, size = (parts * whole[:, None]).sum(-1), (whole**2).sum(-1)[:, None]
    return {module}.where(size > 0, along / {module}.where(size > 0, size, 1.0), 0.0)
"""
        return Program(f"share({inputs[0]}, {inputs[1]})", helper)

    def note(self, index: Index, *inputs: np.ndarray) -> str | None:
        """Says when there is no direction to measure along."""
        return (
            None
            if inputs[1][index[0]].any()
            else "the whole is the zero vector, or as good as: it has no direction to share"
        )


def _squares(whole: np.ndarray) -> np.ndarray:
    """|whole|^2 of each row; 0 also where the squares are too small for float64."""
    return (whole**2).sum(axis=-1)
