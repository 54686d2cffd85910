"""A quantity: a named array that knows which operation made it, and of what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from operator import index as as_integer
from typing import TYPE_CHECKING, cast

import numpy as np

from clearhead.core.axes import KEY, QUERY
from clearhead.core.expression import Cell, Expression, Number, cells
from clearhead.core.ops import Equation
from clearhead.core.ops.base import Index, Pattern
from clearhead.core.tape import Value
from clearhead.trace.explanation import Explanation
from clearhead.trace.words import NO_WORDS, Words

if TYPE_CHECKING:
    from clearhead.messages.values import Digits


@dataclass(frozen=True, eq=False)
class Quantity(Value):
    """One named array of a computation, every cell of which can say where it came from.

    A quantity may be a part of what its name means: of the weights of a long text the row of one query. Its cells are
    called by their true places all the same, weights[5000,3]. Only `values`, and the recipes and operations that work
    on them, count from the first number that is here; everything that names a cell goes through `here` and `named`.

    Attributes:
        name: unique within its trace, such as "scores".
        axes: the name of each axis.
        values: float64, read-only.
        operation: what made it; None if it was given.
        inputs: the quantities the operation was given, in order.
        origin: for each axis the place of the first number that is here, where that is a part of the axis; None where
            it is all of it. Empty: the quantity is whole.
        words: what the places along its axes are called; its trace says it.
    """

    inputs: tuple[Quantity, ...] = ()
    origin: tuple[int | None, ...] = ()
    words: Words = NO_WORDS

    @property
    def starts(self) -> Index:
        """The place of the first number along each axis."""
        return tuple(start or 0 for start in self.origin) or (0,) * len(self.axes)

    def here(self, index: Index) -> Index:
        """Where in `values` the cell of that name stands.

        Raises:
            IndexError: it is not here.
        """
        if not self.origin:
            return index
        if not self.holds(index):
            raise IndexError(f"{self!r} has no cell {list(index)}")
        return tuple(place - start for place, start in zip(index, self.starts, strict=True))

    def named(self, index: Pattern) -> Pattern:
        """The name of a cell of `values`, or of several: the other way round."""
        if not self.origin:
            return index
        return tuple(
            None if place is None else place + start for place, start in zip(index, self.starts, strict=True)
        )

    def holds(self, index: Index) -> bool:
        """Whether the cell of that name is here."""
        spans = zip(index, self.starts, self.shape, strict=True)
        return all(start <= place < start + size for place, start, size in spans)

    def number(self, index: Index) -> float:
        """The value of the cell of that name.

        Raises:
            IndexError: it is not here.
        """
        return float(self.values[self.here(index)])

    def row(self, place: int) -> np.ndarray:
        """The values at one place of the first axis.

        Raises:
            IndexError: it is not here.
        """
        first = place - self.starts[0]
        if not 0 <= first < len(self.values):
            raise IndexError(f"{self!r} has no row {place}")
        return np.asarray(self.values[first])

    def rows(self, first: int, after: int) -> Quantity:
        """Of a whole quantity that was given the part of its first axis from one place to before another.

        Raises:
            ValueError: it is a part already, or was made, so that its recipe would have to be cut too; or there are
                no such places.
        """
        if self.operation is not None or self.origin or not 0 <= first < after <= len(self.values):
            raise ValueError(f"{self!r} has no part from {first} to before {after} that could be cut out")
        return replace(self, values=self.values[first:after], origin=(first, *(None for _ in self.axes[1:])))

    def __getitem__(self, index: int | tuple[int, ...]) -> float:
        """The number of one cell, called as everywhere: `trace["weights"][0, 3, 1]`.

        Indices count from 0; negative ones count from the end. A part of the array is `values[0, :, 1]`, and the cell's
        arithmetic `explain(0, 3, 1)`.

        Raises:
            IndexError: a number too many, or one that lies outside; the message says what was expected.
            TypeError: a part is asked for, such as a row.
        """
        places = index if isinstance(index, tuple) else (index,)
        if len(places) < len(self.axes) or not all(hasattr(place, "__index__") for place in places):
            raise TypeError(
                f"{self.name}[...] is the number of one cell; expected {len(self.axes)} whole numbers "
                f"({', '.join(self.axes)}), or .values[...] for a part of the array, such as a row"
            )
        return self.number(self.place(places))

    __iter__ = None
    """Nothing is gone through: with `__getitem__` alone, Python would take a matrix for an empty list."""

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
            f"{axis} {first}–{first + size - 1}"
            for axis, size, first in zip(self.axes, self.shape, self.starts, strict=True)
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
        return tuple(self.place_on(axis, number) for axis, number in enumerate(numbers))

    def place_on(self, axis: int, number: int) -> int:
        """A place on the axis of that number, checked and with negative numbers counted from the end.

        Raises:
            IndexError: it lies outside; the message says what was expected.
        """
        size, start = self.shape[axis], self.starts[axis]
        part = bool(self.origin) and self.origin[axis] is not None
        if not part and -size <= number < size:
            return number % size
        if part and start <= number < start + size:  # where a part ends is not the end of the axis
            return number
        goes = "of which only a part is here, goes" if part else "goes"
        raise IndexError(
            f"{self.name}: {self.axes[axis]} {goes} from {start} to {start + size - 1}, got {number}"
        )

    def recipe(self, index: Index) -> Expression:
        """The expression tree of one cell; a given cell's recipe is its number.

        Its leaves are places in the `values` of the inputs; `name_of` names them.
        """
        if self.operation is None:
            return Number(self.number(index))
        return self.operation.recipe(self.here(index), *(given.values for given in self.inputs))

    def note(self, index: Index) -> str | None:
        """What there is to say about a cell beside its arithmetic, or None."""
        if self.operation is None:
            return None
        return self.operation.note(self.here(index), *(given.values for given in self.inputs))

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

    def name_of(self, cell: Cell) -> tuple[Quantity, Index]:
        """The input and the place in it that a recipe of this quantity refers to."""
        given = self.inputs[cell.slot]
        return given, cast("Index", given.named(cell.index))

    def sources(self, index: Index) -> Iterator[tuple[Quantity, Index]]:
        """The cells that one cell was made from, each once, in the order of the recipe."""
        for cell in dict.fromkeys(cells(self.recipe(index))):
            yield self.name_of(cell)

    def fed_by(self, slot: int, index: Index) -> list[Pattern]:
        """The cells of this quantity that a cell of an input has a part in."""
        given = self.inputs[slot]
        if self.operation is None or not given.holds(index):
            return []
        patterns = self.operation.feeds(slot, given.here(index), *(one.values for one in self.inputs))
        return [self.named(pattern) for pattern in patterns]

    def latex(self, digits: Digits = 2, head: int | None = None) -> str:
        """The numbers as LaTeX, a `tabular` for each matrix, its rows and columns named by their words.

        Args:
            digits: 2, 3 or 4 decimals, or "full".
            head: only this head's matrix.

        Raises:
            IndexError: there are no heads, or no such head.
            ValueError: numbers are not written with so many digits.
        """
        from clearhead.trace.notation import tables  # computing needs no notation, and imports none

        return tables.latex(self, digits, head)

    def markdown(self, digits: Digits = 2, head: int | None = None) -> str:
        """The numbers as tables in Markdown; see `latex` for what can be asked."""
        from clearhead.trace.notation import tables

        return tables.markdown(self, digits, head)

    def tsv(self, digits: Digits = "full", head: int | None = None) -> str:
        """The numbers as tab-separated values, for a spreadsheet; see `latex` for what can be asked."""
        from clearhead.trace.notation import tables

        return tables.tsv(self, digits, head)

    def __repr__(self) -> str:
        """Name, axes and sizes, for example `scores(head 1, query 5, key 5)`; of a part `scores(query 7–7, key 9)`."""
        parts = self.origin or (None,) * len(self.axes)
        axes = (
            f"{axis} {size}" if start is None else f"{axis} {start}–{start + size - 1}"
            for axis, size, start in zip(self.axes, self.shape, parts, strict=True)
        )
        return f"{self.name}({', '.join(axes)})"


def origin_of(axes: tuple[str, ...], inputs: Iterable[Quantity]) -> tuple[int | None, ...]:
    """Where what is made of these inputs begins: an axis of which an input has a part alone is a part in it too."""
    parts = {
        axis: start
        for given in inputs
        for axis, start in zip(given.axes, given.origin, strict=False)  # a whole one has no origin
        if start is not None
    }
    return tuple(map(parts.get, axes)) if parts else ()
