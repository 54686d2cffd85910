"""Addition of arrays, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import Cell, Expression, Sum, Symbol
from clearhead.core.ops.base import (
    GRADIENT,
    Equation,
    Index,
    Made,
    Operation,
    Pattern,
    Program,
    Pull,
    letters_of,
)
from clearhead.core.ops.copy import Copy
from clearhead.core.ops.total import Total


@dataclass(frozen=True)
class Add(Operation):
    """The sum of two or more arrays; one that lacks axes in front (a bias, positions) is added at every place there.

    Attributes:
        of: the axes of each input, so that the formula can write them; empty if all have those of the result.
    """

    name = "add"
    of: tuple[tuple[str, ...], ...] = ()

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Arrays of the result's shape, or of the shape of its last axes, to their sum."""
        total = inputs[0]
        for given in inputs[1:]:
            total = total + given
        return total

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The cells at the same place."""
        return Sum(tuple(Cell(slot, _last(index, given.ndim)) for slot, given in enumerate(inputs)))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The cell at the same place; of an array that lacks axes in front, everywhere along those."""
        return [(*(None,) * (len(self.axes) - len(index)), *index)]

    def formula(self, output: str, *inputs: str) -> Equation:
        """out = left + right, each with its own indices."""
        of = self.of or (self.axes,) * len(inputs)
        terms = tuple(Symbol(name, letters_of(axes)) for name, axes in zip(inputs, of, strict=True))
        return Equation(Symbol(output, self.letters()), Sum(terms))

    def program(self, module: str, *inputs: str) -> Program:
        """left + right."""
        return Program(" + ".join(inputs))

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull:
        """The gradient as it is, summed over the axes that the input lacks."""
        axes = inputs[slot].axes
        if len(axes) == len(self.axes):
            return Pull(Copy(axes), (GRADIENT,))
        lacks = self.axes[: len(self.axes) - len(axes)]
        return Pull(Total(axes, (*lacks, *axes)), (GRADIENT,))


def _last(index: Index, axes: int) -> Index:
    return index[len(index) - axes :]
