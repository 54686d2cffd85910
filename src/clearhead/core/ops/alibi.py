"""ALiBi: a penalty on distance, added to the scores, a different slope for each head."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Expression, Number, Power, Product, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program


def slope_exponent(head: int, heads: int) -> float:
    """The e of the slope 2^−e of one head.

    Press et al. 2022, section 3: 8(h+1)/heads when the number of heads is a power of two. For other numbers their
    published code takes the slopes of the next lower power of two, then every other slope of the next higher one.
    """
    power = 1 << (heads.bit_length() - 1)
    if head < power:
        return 8 * (head + 1) / power
    return 8 * (2 * (head - power) + 1) / (2 * power)


@dataclass(frozen=True)
class Alibi(Operation):
    """bias[h, i, j] = −slope_h |i − j|.

    Press et al. 2022 define it for keys at or before the query; |i − j| continues it symmetrically to keys after.

    Attributes:
        heads: how many heads.
        positions: how many positions.
    """

    name = "alibi"
    heads: int
    positions: int

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """No input; (heads, positions, positions)."""
        slopes = np.array([2.0 ** -slope_exponent(head, self.heads) for head in range(self.heads)])
        query, key = np.ogrid[: self.positions, : self.positions]
        return slopes[:, None, None] * -np.abs(query - key).astype(np.float64)

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The head's slope times minus the distance."""
        head, query, key = index
        slope = Power(Number(2), Number(-slope_exponent(head, self.heads)))
        return Product((slope, Number(-abs(query - key), "−|i−j|")))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """Never asked: there is no input."""
        return []

    def formula(self, output: str, *inputs: str) -> Equation:
        """bias = slope times minus the distance."""
        return Equation(Symbol(output, self.letters()), Product((Symbol("slope", ("h",)), Symbol("−|i−j|"))))

    def program(self, module: str, *inputs: str) -> Program:
        """A function of the slopes."""
        array = "torch.tensor" if module == "torch" else "np.array"
        helper = f"""\
def alibi(slopes, positions):
    position = {module}.arange(positions)
    return -{array}(slopes)[:, None, None] * abs(position[:, None] - position)
"""
        slopes = ", ".join(f"2 ** {-slope_exponent(head, self.heads)!r}" for head in range(self.heads))
        return Program(f"alibi([{slopes}], {self.positions})", helper)
