"""Joining heads: their results side by side in one row per position."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cell, Expression, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program


@dataclass(frozen=True)
class MergeHeads(Operation):
    """(head, query, feature) to (query, joined): "Concat" in Vaswani et al. 2017, section 3.2.2.

    Attributes:
        width: what the numbers of one head are called in formulas, "d_value".
    """

    name = "merge_heads"
    width: str

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """(heads, positions, d_head) to (positions, heads * d_head)."""
        heads, positions, width = inputs[0].shape
        return inputs[0].transpose(1, 0, 2).reshape(positions, heads * width)

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """One cell of one head."""
        position, column = index
        head, feature = divmod(column, inputs[0].shape[2])
        return Cell(0, (head, position, feature))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The one cell that takes it."""
        head, position, feature = index
        return [(position, head * inputs[0].shape[2] + feature)]

    def formula(self, output: str, *inputs: str) -> Equation:
        """out[i, h d + k] = in[h, i, k]."""
        return Equation(Symbol(output, ("i", f"h·{self.width}+k")), Symbol(inputs[0], ("h", "i", "k")))

    def program(self, module: str, *inputs: str) -> Program:
        """The head axis moved back, then a reshape."""
        return Program(f"{inputs[0]}.swapaxes(0, 1).reshape({inputs[0]}.shape[1], -1)")
