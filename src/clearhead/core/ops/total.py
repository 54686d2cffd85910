"""Total: numbers added up along some of their axes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from clearhead.core.expression import BigSum, Cell, Expression, Sum, Symbol
from clearhead.core.ops.base import LETTERS, Equation, Index, Operation, Pattern, Program, letters_of


@dataclass(frozen=True)
class Total(Operation):
    """The input summed over the axes that the result lacks: the gradient of a row that was added at every place.

    Attributes:
        of: the axes of the input; those of the result are among them, in the same order.
    """

    name = "total"
    of: tuple[str, ...]

    @property
    def over(self) -> tuple[str, ...]:
        """The axes that are summed over."""
        return tuple(axis for axis in self.of if axis not in self.axes)

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Shape: that of the input, without the axes that are summed over."""
        places = tuple(place - len(self.of) for place, axis in enumerate(self.of) if axis in self.over)
        return np.asarray(inputs[0].sum(axis=places))

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The sum of the cells that agree with the result's cell on its axes."""
        place = dict(zip(self.axes, index, strict=True))
        sizes = dict(zip(self.of, inputs[0].shape, strict=True))
        everywhere = (
            dict(zip(self.over, at, strict=True))
            for at in product(*(range(sizes[axis]) for axis in self.over))
        )
        terms = (Cell(0, tuple((place | at)[axis] for axis in self.of)) for at in everywhere)
        return Sum(tuple(terms), over=" and ".join(self.over))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The cell that agrees with the input cell on the axes of the result."""
        place = dict(zip(self.of, index, strict=True))
        return [tuple(place[axis] for axis in self.axes)]

    def formula(self, output: str, *inputs: str) -> Equation:
        """out = the sum of in over the indices that out lacks."""
        body: Expression = Symbol(inputs[0], letters_of(self.of))
        for axis in reversed(self.over):
            body = BigSum(LETTERS[axis], body)
        return Equation(Symbol(output, self.letters()), body)

    def program(self, module: str, *inputs: str) -> Program:
        """An einsum whose letters are those of the formula."""
        letters, out = "".join(letters_of(self.of)), "".join(self.letters())
        return Program(f'{module}.einsum("{letters}->{out}", {inputs[0]})')
