"""Multiply and sum: the one operation behind projections, scores, the weighted sum and W_O."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import BigSum, Cell, Expression, Product, Sum, Symbol
from clearhead.core.ops.base import LETTERS, Equation, Index, Operation, Pattern, Program, letters_of


@dataclass(frozen=True)
class Contract(Operation):
    """The product of two arrays, summed over the axis they share and the result lacks.

    With axes named, every matrix product of attention is this one: X W_Q shares "model", Q K^T shares "feature",
    weights times V shares "key". Axes that all three have (head) run in parallel.

    Attributes:
        left: the axes of the first input.
        right: the axes of the second input.
    """

    name = "contract"
    left: tuple[str, ...]
    right: tuple[str, ...]

    @property
    def over(self) -> str:
        """The axis that is summed over."""
        (axis,) = set(self.left) & set(self.right) - set(self.axes)
        return axis

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Shapes follow from the axes; the summed axis has one size in both inputs."""
        over = self.over
        parallel = [axis for axis in self.axes if axis in self.left and axis in self.right]
        rows = [axis for axis in self.axes if axis in self.left and axis not in self.right]
        columns = [axis for axis in self.axes if axis in self.right and axis not in self.left]
        a, a_sizes = _arranged(inputs[0], self.left, parallel, rows, [over])
        b, b_sizes = _arranged(inputs[1], self.right, parallel, [over], columns)
        sizes = a_sizes | b_sizes
        product = (a @ b).reshape([sizes[axis] for axis in parallel + rows + columns])
        return np.transpose(product, [(parallel + rows + columns).index(axis) for axis in self.axes])

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The sum of products over the shared axis."""
        place = dict(zip(self.axes, index, strict=True))
        size = inputs[0].shape[self.left.index(self.over)]
        return Sum(tuple(self._term(place | {self.over: k}) for k in range(size)), over=self.over)

    def _term(self, place: dict[str, int]) -> Product:
        left = Cell(0, tuple(place[axis] for axis in self.left))
        right = Cell(1, tuple(place[axis] for axis in self.right))
        return Product((left, right))

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """Every cell that agrees with the input cell on the axes both have."""
        place = dict(zip(self.right if slot else self.left, index, strict=True))
        return [tuple(place.get(axis) for axis in self.axes)]

    def formula(self, output: str, *inputs: str) -> Equation:
        """out = the sum over the shared index of left times right."""
        left, right = Symbol(inputs[0], letters_of(self.left)), Symbol(inputs[1], letters_of(self.right))
        return Equation(Symbol(output, self.letters()), BigSum(LETTERS[self.over], Product((left, right))))

    def program(self, module: str, *inputs: str) -> Program:
        """An einsum whose letters are those of the formula."""
        left, right, out = ("".join(letters_of(axes)) for axes in (self.left, self.right, self.axes))
        return Program(f'{module}.einsum("{left},{right}->{out}", {inputs[0]}, {inputs[1]})')


def _arranged(
    array: np.ndarray, axes: tuple[str, ...], parallel: list[str], first: list[str], second: list[str]
) -> tuple[np.ndarray, dict[str, int]]:
    """The array as (parallel..., first, second) for one matrix product, and the size of each of its axes."""
    sizes = dict(zip(axes, array.shape, strict=True))
    ordered = np.transpose(array, [axes.index(axis) for axis in parallel + first + second])
    rows = int(np.prod([sizes[axis] for axis in first], dtype=int))
    columns = int(np.prod([sizes[axis] for axis in second], dtype=int))
    return ordered.reshape([sizes[axis] for axis in parallel] + [rows, columns]), sizes
