"""Multiply and sum: the one operation behind projections, scores, the weighted sum and W_O."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from clearhead.core.expression import BigSum, Cell, Expression, Product, Sum, Symbol, terms
from clearhead.core.ops.base import (
    GRADIENT,
    LETTERS,
    Equation,
    Index,
    Made,
    Operation,
    Pattern,
    Program,
    Pull,
    letters_of,
)


@dataclass(frozen=True)
class Contract(Operation):
    """The product of two arrays, summed over the axes they share and the result lacks.

    With axes named, every matrix product of a transformer is this one: X W_Q shares "model", Q K^T shares "feature",
    weights times V shares "key". Axes that all three have (head) run in parallel; where nothing is left to sum over it
    is the product cell by cell. Its gradients are contractions again.

    Attributes:
        left: the axes of the first input.
        right: the axes of the second input.
    """

    name = "contract"
    left: tuple[str, ...]
    right: tuple[str, ...]

    @property
    def over(self) -> tuple[str, ...]:
        """The axes that are summed over."""
        return tuple(axis for axis in self.left if axis in self.right and axis not in self.axes)

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Shapes follow from the axes; a shared axis has one size in both inputs."""
        if not self.over:
            return _spread(inputs[0], self.left, self.axes) * _spread(inputs[1], self.right, self.axes)
        (a_order, a_split), (b_order, b_split), back = _plan(self.axes, self.left, self.right)
        a, b = np.transpose(inputs[0], a_order), np.transpose(inputs[1], b_order)
        parallel, rows, columns = a.shape[: a_split[0]], a.shape[slice(*a_split)], b.shape[b_split[1] :]
        shared = math.prod(b.shape[slice(*b_split)])
        left = a.reshape((*parallel, math.prod(rows), shared))
        right = b.reshape((*parallel, shared, math.prod(columns)))
        return np.transpose((left @ right).reshape(parallel + rows + columns), back)

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The sum of products over the shared axes, or the one product."""
        place = dict(zip(self.axes, index, strict=True))
        if not self.over:
            return self._term(place)
        sizes = [inputs[0].shape[self.left.index(axis)] for axis in self.over]

        def term(number: int) -> Product:
            shared = (number,) if len(sizes) == 1 else map(int, np.unravel_index(number, sizes))
            return self._term(place | dict(zip(self.over, shared, strict=True)))

        def values() -> np.ndarray:
            left, right = (
                _along(array, axes, place, self.over)
                for array, axes in zip(inputs, (self.left, self.right), strict=True)
            )
            return left * right

        return Sum(terms(math.prod(sizes), term, values), over=" and ".join(self.over))

    def _term(self, place: dict[str, int]) -> Product:
        left = Cell(0, tuple(place[axis] for axis in self.left))
        right = Cell(1, tuple(place[axis] for axis in self.right))
        return Product((left, right))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """Every cell that agrees with the input cell on the axes both have."""
        place = dict(zip(self.right if slot else self.left, index, strict=True))
        return [tuple(place.get(axis) for axis in self.axes)]

    def formula(self, output: str, *inputs: str) -> Equation:
        """out = the sum over the shared indices of left times right."""
        left, right = Symbol(inputs[0], letters_of(self.left)), Symbol(inputs[1], letters_of(self.right))
        body: Expression = Product((left, right))
        for axis in reversed(self.over):
            body = BigSum(LETTERS[axis], body)
        return Equation(Symbol(output, self.letters()), body)

    def program(self, module: str, *inputs: str) -> Program:
        """An einsum whose letters are those of the formula."""
        left, right, out = ("".join(letters_of(axes)) for axes in (self.left, self.right, self.axes))
        return Program(f'{module}.einsum("{left},{right}->{out}", {inputs[0]}, {inputs[1]})')

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull:
        """The gradient of the result contracted with the other input, over what that input's gradient lacks."""
        if slot == 0:
            return Pull(Contract(self.left, self.axes, self.right), (GRADIENT, 1))
        return Pull(Contract(self.right, self.left, self.axes), (0, GRADIENT))


def _along(
    array: np.ndarray, axes: tuple[str, ...], place: dict[str, int], over: tuple[str, ...]
) -> np.ndarray:
    """What one cell takes of an input: its numbers along the axes that are summed over, one after the other."""
    cut = array[tuple(slice(None) if axis in over else place[axis] for axis in axes)]
    left = [axis for axis in axes if axis in over]
    return np.transpose(cut, [left.index(axis) for axis in over]).reshape(-1)


def _spread(array: np.ndarray, axes: tuple[str, ...], to: tuple[str, ...]) -> np.ndarray:
    """The array with its axes in the order of `to`, of size 1 where it lacks one, so that it can be multiplied."""
    ordered = np.transpose(array, [axes.index(axis) for axis in to if axis in axes])
    return np.expand_dims(ordered, tuple(place for place, axis in enumerate(to) if axis not in axes))


@lru_cache(maxsize=256)
def _plan(
    axes: tuple[str, ...], left: tuple[str, ...], right: tuple[str, ...]
) -> tuple[tuple[list[int], tuple[int, int]], tuple[list[int], tuple[int, int]], list[int]]:
    """The order of each input's axes for one matrix product, with where the middle ones lie, and the order back."""
    over = [axis for axis in left if axis in right and axis not in axes]
    parallel = [axis for axis in axes if axis in left and axis in right]
    rows = [axis for axis in axes if axis in left and axis not in right]
    columns = [axis for axis in axes if axis in right and axis not in left]
    count = len(parallel)
    return (
        ([left.index(axis) for axis in parallel + rows + over], (count, count + len(rows))),
        ([right.index(axis) for axis in parallel + over + columns], (count, count + len(over))),
        [(parallel + rows + columns).index(axis) for axis in axes],
    )
