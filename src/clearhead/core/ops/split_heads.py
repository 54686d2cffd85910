"""Splitting an axis into heads: head 0 takes the first d_head columns, head 1 the next, and so on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cell, Expression, Symbol
from clearhead.core.ops.base import GRADIENT, Equation, Index, Made, Operation, Pattern, Program, Pull


@dataclass(frozen=True)
class SplitHeads(Operation):
    """One axis of heads times d_head numbers, cut into heads; the head axis comes first.

    Vaswani et al. 2017, section 3.2.2, where each head has a matrix of its own: side by side they are W_Q.

    Attributes:
        heads: how many heads.
        split: which of the input's last two axes is cut, 0 or 1.
        width: what the numbers of one head are called in formulas, "d_head" or "d_value".
    """

    name = "split_heads"
    heads: int
    split: int
    width: str

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """(a, heads * d_head) to (heads, a, d_head), or with split = 0 (heads * d_head, b) to (heads, d_head, b)."""
        shape, axis = list(inputs[0].shape), inputs[0].ndim - 2 + self.split
        shape[axis : axis + 1] = [self.heads, shape[axis] // self.heads]
        return np.ascontiguousarray(np.moveaxis(inputs[0].reshape(shape), axis, -3))

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """One cell of the input."""
        *before, head, first, second = index
        place = [first, second]
        place[self.split] += head * (inputs[0].shape[self.split - 2] // self.heads)
        return Cell(0, (*before, *place))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The one cell that takes it."""
        *before, first, second = index
        place = [first, second]
        head, place[self.split] = divmod(place[self.split], inputs[0].shape[self.split - 2] // self.heads)
        return [(*before, head, *place)]

    def formula(self, output: str, *inputs: str) -> Equation:
        """out[h, i, k] = in[i, h d + k]."""
        *before, head, first, second = self.letters()
        place = [first, second]
        place[self.split] = f"{head}·{self.width}+{place[self.split]}"
        return Equation(Symbol(output, self.letters()), Symbol(inputs[0], (*before, *place)))

    def program(self, module: str, *inputs: str) -> Program:
        """A reshape, the head axis then moved to the front."""
        (name,) = inputs
        if self.split == 0:
            return Program(f"{name}.reshape({self.heads}, -1, {name}.shape[1])")
        return Program(f"{name}.reshape(*{name}.shape[:-1], {self.heads}, -1).swapaxes(-3, -2)")

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull:
        """The heads' gradients side by side."""
        from clearhead.core.ops.merge_heads import MergeHeads  # each is the other's way back

        assert self.split == 1, "only the columns of a projection are split on the way to the loss"
        return Pull(MergeHeads(inputs[slot].axes, self.width), (GRADIENT,))
