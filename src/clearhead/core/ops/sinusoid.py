"""Sinusoidal positions: each position gets a vector of sines and cosines of different wavelengths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cases, Expression, Function, Number, Power, Quotient, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program

BASE = 10000.0
"""The base of the wavelengths, Vaswani et al. 2017, section 3.5."""


@dataclass(frozen=True)
class Sinusoid(Operation):
    """PE[i, 2m] = sin(i / 10000^(2m/d_model)) and PE[i, 2m+1] = cos of the same angle.

    Vaswani et al. 2017, section 3.5. An odd width ends on a sine.

    Attributes:
        positions: how many positions.
        width: d_model.
    """

    name = "sinusoid"
    positions: int
    width: int

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """No input; (positions, width)."""
        position, column = np.ogrid[: self.positions, : self.width]
        angles = position / BASE ** (2 * (column // 2) / self.width)
        return np.where(column % 2 == 0, np.sin(angles), np.cos(angles))

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The sine or cosine of the position over its wavelength."""
        position, column = index
        wavelength = Power(Number(BASE), Quotient(Number(2 * (column // 2)), Number(self.width, "d_model")))
        angle = Quotient(Number(position, "position"), wavelength)
        return Function("cos" if column % 2 else "sin", (angle,))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """Never asked: there is no input."""
        return []

    def formula(self, output: str, *inputs: str) -> Equation:
        """The sine in even columns, the cosine in odd ones."""
        angle = Quotient(Symbol("i"), Power(Number(BASE), Quotient(Symbol("2⌊m/2⌋"), Symbol("d_model"))))
        cases = (
            (Function("sin", (angle,)), "for even m"),
            (Function("cos", (angle,)), "for odd m"),
        )
        return Equation(Symbol(output, self.letters()), Cases(cases))

    def program(self, module: str, *inputs: str) -> Program:
        """A function of the two sizes."""
        helper = f"""\
def sinusoid(positions, width):
    column = {module}.arange(width)
    angles = {module}.arange(positions)[:, None] / {BASE} ** (2 * (column // 2) / width)
    return {module}.where(column % 2 == 0, {module}.sin(angles), {module}.cos(angles))
"""
        return Program(f"sinusoid({self.positions}, {self.width})", helper)
