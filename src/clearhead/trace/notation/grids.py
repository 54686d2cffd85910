"""A quantity's matrices with what its rows and columns are, from which every form of a table is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from clearhead.core.axes import HEAD
from clearhead.trace.notation.tokens import visible_token
from clearhead.trace.quantity import Quantity


@dataclass(frozen=True)
class Label:
    """One place along an axis: its number, and its word where it has one, with what nobody can see made visible."""

    number: int
    word: str | None = None


@dataclass(frozen=True)
class Grid:
    """One matrix of a quantity.

    Attributes:
        name: the quantity.
        of: which matrix it is, where the quantity has several: pairs of an axis and a place on it.
        axes: what rows and columns count; "" where there is but one.
        rows: a label for each row.
        columns: a label for each column.
        values: (rows, columns).
        masked: (rows, columns) True where a cell is masked; None where nothing is.
    """

    name: str
    of: tuple[tuple[str, int], ...]
    axes: tuple[str, str]
    rows: tuple[Label, ...]
    columns: tuple[Label, ...]
    values: np.ndarray
    masked: np.ndarray | None = None

    def is_masked(self, row: int, column: int) -> bool:
        """Whether a cell holds 0 because it is masked, so that its number alone would pass for a weight of 0."""
        return self.masked is not None and bool(self.masked[row, column]) and self.values[row, column] == 0


def grids(quantity: Quantity, head: int | None = None) -> Iterator[Grid]:
    """The matrices of a quantity: one for each place of the axes before the last two. A vector is one row.

    Args:
        quantity: what is to be written.
        head: only this head's.

    Raises:
        IndexError: the quantity has no heads, or no such head.
    """
    head = None if head is None else _head(quantity, head)
    outer = quantity.axes[:-2]
    row_axis, column_axis = ("", "", *quantity.axes)[-2:] if len(quantity.axes) < 2 else quantity.axes[-2:]
    rows, columns = _labels(quantity, -2), _labels(quantity, -1)
    hidden = quantity.masked
    for place in np.ndindex(*quantity.shape[: len(outer)]):
        of = tuple((axis, at + start) for axis, at, start in zip(outer, place, quantity.starts, strict=False))
        if head is None or (HEAD, head) in of:
            values = np.atleast_2d(quantity.values[place])
            masked = None if hidden is None else np.atleast_2d(hidden[place])
            yield Grid(quantity.name, of, (row_axis, column_axis), rows, columns, values, masked)


def _head(quantity: Quantity, head: int) -> int:
    if HEAD not in quantity.axes[:-2]:
        raise IndexError(
            f"{quantity.name}: has no heads ({quantity!r}); expected it without head, got {head}"
        )
    return quantity.place_on(quantity.axes.index(HEAD), head)


def _labels(quantity: Quantity, axis: int) -> tuple[Label, ...]:
    """Those along one of the last two axes, counted from the end; of an axis that there is not, one without a word."""
    if len(quantity.axes) < -axis:
        return (Label(0),)
    words, start = quantity.words.along(quantity.axes[axis]), quantity.starts[axis]
    return tuple(
        Label(at, visible_token(words[at]) if at < len(words) else None)
        for at in range(start, start + quantity.shape[axis])
    )
