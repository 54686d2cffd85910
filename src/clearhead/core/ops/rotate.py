"""Rotary positions: each pair of features is turned by an angle in proportion to the position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import (
    Cases,
    Cell,
    Difference,
    Expression,
    Function,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
    Symbol,
)
from clearhead.core.ops.base import GRADIENT, Equation, Index, Made, Operation, Pattern, Program, Pull

BASE = 10000.0
"""The base of the angles, Su et al. 2021, section 3.2.2."""


@dataclass(frozen=True)
class Rotate(Operation):
    """Feature k and its partner k + d_head/2 are turned by i * 10000^(-2k/d_head) at position i.

    Su et al. 2021 (RoFormer), equation 15, whose neighbouring pairs (2k, 2k+1) are laid out here as halves
    (k, k + d_head/2), the layout of GPT-NeoX and of the Llama models in Hugging Face transformers.

    Attributes:
        back: turn by the same angle the other way, as the gradient does.
    """

    name = "rotate"
    back: bool = False

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """(heads, positions, d_head) to the same shape; d_head is even."""
        positions, width = inputs[0].shape[-2:]
        position, pair = np.ogrid[:positions, : width // 2]
        angles = position / BASE ** (2 * pair / width)
        first, second = np.split(inputs[0], 2, axis=-1)
        cos, sin = np.cos(angles), np.sin(angles) * (-1 if self.back else 1)
        return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The feature times the cosine, minus or plus its partner times the sine."""
        *before, position, feature = index
        half = inputs[0].shape[-1] // 2
        wavelength = Power(Number(BASE), Quotient(Number(2 * (feature % half)), Number(2 * half, "d_head")))
        angle = Quotient(Number(position, "position"), wavelength)
        own = Product((Cell(0, index), Function("cos", (angle,))))
        other = Product(
            (Cell(0, (*before, position, (feature + half) % (2 * half))), Function("sin", (angle,)))
        )
        return Difference(own, other) if (feature < half) != self.back else Sum((own, other))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The feature itself and its partner."""
        *before, position, feature = index
        width = inputs[0].shape[-1]
        return [index, (*before, position, (feature + width // 2) % width)]

    def formula(self, output: str, *inputs: str) -> Equation:
        """The first half of the features turns against its partners, the second half with them."""
        *before, position, _ = self.letters()
        angle = Quotient(Symbol(position), Power(Number(BASE), Quotient(Symbol("2k"), Symbol("d_head"))))
        cos, sin = Function("cos", (angle,)), Function("sin", (angle,))
        first = Symbol(inputs[0], self.letters())
        after = Symbol(inputs[0], (*before, position, "k+d_head/2"))
        partner = Symbol(inputs[0], (*before, position, "k−d_head/2"))
        lower: Expression = Difference(Product((first, cos)), Product((after, sin)))
        upper: Expression = Sum((Product((first, cos)), Product((partner, sin))))
        if self.back:
            lower = Sum((Product((first, cos)), Product((after, sin))))
            upper = Difference(Product((first, cos)), Product((partner, sin)))
        cases = ((lower, "where k < d_head/2"), (upper, "elsewhere, with the angle of k−d_head/2"))
        return Equation(Symbol(output, self.letters()), Cases(cases))

    def program(self, module: str, *inputs: str) -> Program:
        """A function of the heads."""
        name, sign = ("rotate_back", "-") if self.back else ("rotate", "+")
        helper = f"""\
def {name}(x):
    positions, width = x.shape[-2:]
    pair = {module}.arange(width) % (width // 2)
    angles = {module}.arange(positions)[:, None] / {BASE} ** (2 * pair / width)
    partner = {module}.concatenate([-x[..., width // 2 :], x[..., : width // 2]], -1)
    return x * {module}.cos(angles) {sign} partner * {module}.sin(angles)
"""
        return Program(f"{name}({inputs[0]})", helper)

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull:
        """The gradient turned back by the same angle: a rotation's inverse is its transpose."""
        return Pull(Rotate(inputs[slot].axes, not self.back), (GRADIENT,))
