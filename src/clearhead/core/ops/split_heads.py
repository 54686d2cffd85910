"""Splitting an axis into heads: head 0 takes the first d_head columns, head 1 the next, and so on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cell, Expression, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program


@dataclass(frozen=True)
class SplitHeads(Operation):
    """One axis of heads times d_head numbers, cut into heads; the head axis comes first.

    Vaswani et al. 2017, section 3.2.2, where each head has a matrix of its own: side by side they are W_Q.

    Attributes:
        heads: how many heads.
        split: which axis of the input is cut.
        width: what the numbers of one head are called in formulas, "d_head" or "d_value".
    """

    name = "split_heads"
    heads: int
    split: int
    width: str

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """(a, heads * d_head) to (heads, a, d_head), or with split = 0 (heads * d_head, b) to (heads, d_head, b)."""
        shape = list(inputs[0].shape)
        shape[self.split : self.split + 1] = [self.heads, shape[self.split] // self.heads]
        return np.ascontiguousarray(np.moveaxis(inputs[0].reshape(shape), self.split, 0))

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """One cell of the input."""
        head, *place = index
        place[self.split] += head * (inputs[0].shape[self.split] // self.heads)
        return Cell(0, tuple(place))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The one cell that takes it."""
        place = list(index)
        head, place[self.split] = divmod(index[self.split], inputs[0].shape[self.split] // self.heads)
        return [(head, *place)]

    def formula(self, output: str, *inputs: str) -> Equation:
        """out[h, i, k] = in[i, h d + k]."""
        head, *place = self.letters()
        place[self.split] = f"{head}·{self.width}+{place[self.split]}"
        return Equation(Symbol(output, self.letters()), Symbol(inputs[0], tuple(place)))

    def program(self, module: str, *inputs: str) -> Program:
        """A reshape, the head axis then moved to the front."""
        (name,) = inputs
        if self.split == 0:
            return Program(f"{name}.reshape({self.heads}, -1, {name}.shape[1])")
        return Program(f"{name}.reshape(len({name}), {self.heads}, -1).swapaxes(0, 1)")
