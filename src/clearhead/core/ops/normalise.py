"""Standardising each vector: the heart of layer norm and of RMS norm, before gain and bias."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Expression, Quotient, Symbol
from clearhead.core.ops.base import GRADIENT, OUTPUT, Equation, Index, Made, Operation, Pattern, Program, Pull
from clearhead.core.ops.normalise_gradient import NormaliseGradient
from clearhead.core.spread import Spread


@dataclass(frozen=True)
class Normalise(Operation):
    """(x − mean) / root(variance + ε) with `centred`, else x / root(mean of x² + ε), along the last axis.

    Layer norm: Ba et al. 2016, section 3; the variance is the mean of the squares (not the unbiased estimate), and ε
    stands inside the root, as in PyTorch. RMS norm: Zhang and Sennrich 2019, section 4. With `centred` it is given x
    and each vector's mean (`ops.average`), else x alone.

    Attributes:
        centred: subtract each vector's mean first, as layer norm does and RMS norm does not.
        epsilon: keeps a vector without any spread from being divided by 0.
    """

    name = "normalise"
    centred: bool
    epsilon: float = 1e-5

    @property
    def spread(self) -> Spread:
        """What each vector is divided by."""
        return Spread(self.axes[-1], self.centred, self.epsilon)

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Shape: that of x; the mean's is the same without the last axis.

        A vector whose numbers are all the same becomes 0 with `centred`; one whose squares are too large for float64
        becomes NaN, which whoever records or trains refuses.
        """
        distances = self.spread.distances(*inputs)
        return distances / self.spread.of(distances)

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The cell, less its vector's mean if centred, over the root of the mean square."""
        spread = self.spread.recipe(0, index[:-1], inputs[0].shape[-1])
        return Quotient(self.spread.distance_recipe(0, index), spread)

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The whole vector: every number of it is divided by the same spread, and has the same mean subtracted."""
        return [(*index[: len(self.axes) - 1], None)]

    def formula(self, output: str, *inputs: str) -> Equation:
        """x, less the mean if centred, over the root of the mean square."""
        *row, last = self.letters()
        distance = self.spread.distance_formula(inputs, tuple(row), last)
        spread = self.spread.formula(inputs, tuple(row), f"{last}′")
        return Equation(Symbol(output, (*row, last)), Quotient(distance, spread))

    def program(self, module: str, *inputs: str) -> Program:
        """PyTorch's own layer_norm or rms_norm, or the formula in NumPy."""
        norm = "layer_norm" if self.centred else "rms_norm"
        if module == "torch":
            shape = f"{inputs[0]}.shape[-1:]"
            return Program(f"torch.nn.functional.{norm}({inputs[0]}, {shape}, eps={self.epsilon!r})")
        parameters, centre = ("x, mean", "    x = x - mean[..., None]\n") if self.centred else ("x", "")
        helper = f"""\
def {norm}({parameters}, epsilon):
{centre}    return x / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon)
"""
        return Program(f"{norm}({', '.join(inputs)}, {self.epsilon!r})", helper)

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull | None:
        """To x: made of the gradient, the standardised numbers and those they were standardised from.

        That is the way through the mean as well: it moves with x, and the two ways together are simpler than each by
        itself. So nothing more is to flow to the mean.
        """
        if slot == 1:
            return None
        of = (GRADIENT, OUTPUT, *range(len(inputs)))
        return Pull(NormaliseGradient(inputs[0].axes, self.centred, self.epsilon), of)

    def note(self, index: Index, *inputs: np.ndarray) -> str | None:
        """Says where there is nothing to standardise."""
        vector = inputs[0][index[:-1]]
        if not vector.any():
            return "the vector is 0, and stays 0"
        if self.centred and (vector == vector[0]).all():
            return "all numbers of this vector are the same: less their mean, nothing is left of them"
        return None
