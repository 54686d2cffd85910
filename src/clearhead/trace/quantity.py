"""A quantity: a named array that knows which operation made it, and of what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import index as as_integer

import numpy as np

from clearhead.core.axes import KEY, QUERY
from clearhead.core.expression import Cell, Expression, Number, cells
from clearhead.core.ops import Equation
from clearhead.core.ops.base import Index
from clearhead.core.tape import Value
from clearhead.trace.explanation import Explanation


@dataclass(frozen=True, eq=False)
class Quantity(Value):
    """One named array of a computation, every cell of which can say where it came from.

    Attributes:
        name: unique within its trace, such as "scores".
        axes: the name of each axis.
        values: float64, read-only.
        operation: what made it; None if it was given.
        inputs: the quantities the operation was given, in order.
    """

    inputs: tuple[Quantity, ...] = ()

    def explain(self, *index: int) -> Explanation:
        """How one cell came about. Indices count from 0; negative ones count from the end.

        Raises:
            IndexError: the index has the wrong length or lies outside; the message says what was expected.
        """
        place = self.place(index)
        return Explanation(self, place, self.recipe(place))

    def place(self, index: tuple[int, ...]) -> Index:
        """The index, checked and with negative numbers counted from the end."""
        described = ", ".join(
            f"{axis} 0–{size - 1}" for axis, size in zip(self.axes, self.shape, strict=True)
        )
        expected = f"expected {len(self.axes)} whole numbers ({described})"
        if not self.axes:
            expected = "a single number; expected no index"
        try:
            numbers = [as_integer(number) for number in index]
        except TypeError:
            raise IndexError(f"{self.name}: {expected}, got {list(index)!r}") from None
        if len(index) != len(self.axes):
            raise IndexError(f"{self.name}: {expected}, got {len(index)}")
        for axis, number, size in zip(self.axes, numbers, self.shape, strict=True):
            if not -size <= number < size:
                raise IndexError(f"{self.name}: {axis} goes from 0 to {size - 1}, got {number}")
        return tuple(number % size for number, size in zip(numbers, self.shape, strict=True))

    def recipe(self, index: Index) -> Expression:
        """The expression tree of one cell; a given cell's recipe is its number."""
        if self.operation is None:
            return Number(float(self.values[index]))
        return self.operation.recipe(index, *(given.values for given in self.inputs))

    def note(self, index: Index) -> str | None:
        """What there is to say about a cell beside its arithmetic, or None."""
        return (
            self.operation.note(index, *(given.values for given in self.inputs)) if self.operation else None
        )

    @property
    def masked(self) -> np.ndarray | None:
        """Boolean, the shape of `values`: True where a cell is masked; None where nothing is.

        It follows the mask on: the weights made from masked scores are masked in the same places.
        """
        if self.operation is None:
            return None
        hidden = self.operation.hidden(*(given.values for given in self.inputs))
        if hidden is not None:
            return hidden if hidden.any() else None
        maps = (given for given in self.inputs if given.axes == self.axes and self.axes[-2:] == (QUERY, KEY))
        return next((masked for given in maps if (masked := given.masked) is not None), None)

    def formula(self) -> Equation | None:
        """The general formula, or None for what was given."""
        return (
            self.operation.formula(self.name, *(given.name for given in self.inputs))
            if self.operation
            else None
        )

    def value_of(self, cell: Cell) -> float:
        """The value of an input cell that a recipe of this quantity refers to."""
        return float(self.inputs[cell.slot].values[cell.index])

    def sources(self, index: Index) -> Iterator[tuple[Quantity, Index]]:
        """The cells that one cell was made from, each once, in the order of the recipe."""
        for cell in dict.fromkeys(cells(self.recipe(index))):
            yield self.inputs[cell.slot], cell.index

    def __repr__(self) -> str:
        """Name, axes and sizes, for example `scores(head 1, query 5, key 5)`."""
        return f"{self.name}({', '.join(f'{axis} {size}' for axis, size in zip(self.axes, self.shape, strict=True))})"
