"""The way back through a softmax to its sink."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from clearhead.core.expression import (
    BigSum,
    Cell,
    Difference,
    Expression,
    Number,
    Product,
    Sum,
    Symbol,
)
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program, letters_of


@dataclass(frozen=True)
class SinkGradient(Operation):
    """dsink = − the sum over rows of (1 − the row's weights) · (the sum over j of weight[j] dweight[j]).

    1 − the row's weights is the sink's own weight. What it gains is taken from each weight of the row in proportion,
    as in `SoftmaxGradient`; its own gradient is 0, as nothing is made of it.

    Attributes:
        of: the axes of the weights; those of the sink are among the ones before the query's.
    """

    name = "sink_gradient"
    of: tuple[str, ...]

    @property
    def over(self) -> tuple[str, ...]:
        """The axes of the rows that share a sink."""
        return tuple(axis for axis in self.of[:-1] if axis not in self.axes)

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """The gradient of the weights, and the weights, (heads, queries, keys), to (heads,)."""
        gradient, weights = inputs
        parts = (1 - weights.sum(axis=-1)) * (weights * gradient).sum(axis=-1)
        rows = tuple(place - len(self.of) + 1 for place, axis in enumerate(self.of[:-1]) if axis in self.over)
        return -np.asarray(parts.sum(axis=rows))

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The sum over the rows that share the sink."""
        place = dict(zip(self.axes, index, strict=True))
        sizes = dict(zip(self.of, inputs[0].shape, strict=True))
        rows = product(*(range(sizes[axis]) for axis in self.over))
        places = (place | dict(zip(self.over, row, strict=True)) for row in rows)
        terms = (self._part(tuple(at[axis] for axis in self.of[:-1]), sizes[self.of[-1]]) for at in places)
        return Product((Number(-1), Sum(tuple(terms), over=" and ".join(self.over))))

    def _part(self, row: Index, keys: int) -> Expression:
        weights = [Cell(1, (*row, key)) for key in range(keys)]
        mean = tuple(Product((weight, Cell(0, weight.index))) for weight in weights)
        share = Difference(Number(1), Sum(tuple(weights), over=self.of[-1]))
        return Product((share, Sum(mean, over=self.of[-1])))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The sink of the row."""
        place = dict(zip(self.of, index, strict=True))
        return [tuple(place[axis] for axis in self.axes)]

    def formula(self, output: str, *inputs: str) -> Equation:
        """out = − sum over rows of (1 − sum of weights) (sum of weight times gradient)."""
        gradient, weight = (Symbol(name, letters_of(self.of)) for name in inputs)
        key = letters_of(self.of)[-1]
        share = Difference(Number(1), BigSum(key, weight))
        body: Expression = Product((share, BigSum(key, Product((weight, gradient)))))
        for letter in reversed(letters_of(self.over)):
            body = BigSum(letter, body)
        return Equation(Symbol(output, self.letters()), Product((Number(-1), body)))

    def program(self, module: str, *inputs: str) -> Program:
        """A function of the gradient and the weights."""
        rows, out = "".join(letters_of(self.of[:-1])), "".join(self.letters())
        helper = f"""\
def sink_gradient(gradient, weights):
    parts = (1 - weights.sum(-1)) * (weights * gradient).sum(-1)
    return -{module}.einsum("{rows}->{out}", parts)
"""
        return Program(f"sink_gradient({inputs[0]}, {inputs[1]})", helper)
