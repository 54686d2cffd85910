"""Joining heads: their results side by side in one row per position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cell, Expression, Symbol
from clearhead.core.ops.base import GRADIENT, Equation, Index, Made, Operation, Pattern, Program, Pull
from clearhead.core.ops.split_heads import SplitHeads


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
        *before, heads, positions, width = inputs[0].shape
        return inputs[0].swapaxes(-3, -2).reshape(*before, positions, heads * width)

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """One cell of one head."""
        *before, position, column = index
        head, feature = divmod(column, inputs[0].shape[-1])
        return Cell(0, (*before, head, position, feature))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The one cell that takes it."""
        *before, head, position, feature = index
        return [(*before, position, head * inputs[0].shape[-1] + feature)]

    def formula(self, output: str, *inputs: str) -> Equation:
        """out[i, h d + k] = in[h, i, k]."""
        *before, place, _ = self.letters()
        joined, split = (*before, place, f"h·{self.width}+k"), (*before, "h", place, "k")
        return Equation(Symbol(output, joined), Symbol(inputs[0], split))

    def program(self, module: str, *inputs: str) -> Program:
        """The head axis moved back, then a reshape."""
        (name,) = inputs
        return Program(f"{name}.swapaxes(-3, -2).reshape(*{name}.shape[:-3], {name}.shape[-2], -1)")

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull:
        """The gradient cut into heads again."""
        heads = inputs[slot].shape[-3]
        return Pull(SplitHeads(inputs[slot].axes, heads, 1, self.width), (GRADIENT,))
