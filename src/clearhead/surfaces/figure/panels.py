"""What a figure of matrices shows, as data: each panel one matrix, with what stands along its sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from clearhead.core.axes import HEAD, QUERY, SENTENCE_AXES, VOCABULARY
from clearhead.core.names import taken_apart
from clearhead.lenses.walkthrough.view import SHARES
from clearhead.surfaces.figure.words import name_of, plain, word
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace

POINTS = 256
"""Rows and columns of a map at most; of a larger one each point stands for several cells, and its title says so."""

HATCHED, STRUCK, FRAMED = "hatched: masked", "struck through: sees nothing", "number in a frame: padding"
NO_NUMBER = "grey: no number (NaN)"
"""What is said of marks."""

FEW = 24
"""Up to so many rows and columns a scale of weights ends at 1; that of a larger map at its largest weight."""


@dataclass(frozen=True)
class Side:
    """What stands along one side of a matrix.

    Attributes:
        axis: what is counted, such as "query"; "" where there is nothing to count.
        places: what each row or column is the place of.
        words: the words of all places, or none.
        several: how many neighbouring places one row or column stands for, at most.
        padding: the places that are padding.
    """

    axis: str
    places: tuple[int, ...]
    words: tuple[str, ...] = ()
    several: int = 1
    padding: frozenset[int] = frozenset()

    @classmethod
    def of(cls, trace: Trace, quantity: Quantity, at: int) -> Side:
        """That of one axis of a quantity."""
        axis, start = quantity.axes[at], quantity.starts[at]
        places = tuple(range(start, start + quantity.shape[at]))
        padding = trace.provenance.get("padding", {}).get(axis, ())
        return cls(axis, places, trace.words(axis), padding=frozenset(padding) & set(places))

    @property
    def positions(self) -> bool:
        """Whether its places are positions, each with its colour."""
        return self.axis in SENTENCE_AXES

    @property
    def count(self) -> int:
        """How many positions there are in all, which their colours depend on."""
        return max(len(self.words), max(self.places, default=0) + 1)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What is written at each row or column; a position's number stands beside it, on its colour."""
        if not self.axis:
            return ("",) * len(self.places)
        if self.axis == VOCABULARY or (self.positions and self.words):
            return tuple(
                plain(word(self.words[at])) if at < len(self.words) else str(at) for at in self.places
            )
        return ("",) * len(self.places) if self.positions else tuple(map(str, self.places))


NOTHING = Side("", (0,))


@dataclass(frozen=True, eq=False)
class Panel:
    """One matrix.

    Attributes:
        title: as text in which formulas stand between dollars.
        says: the same in plain words, for those who do not see the figure.
        values: (rows, columns) float64.
        masked: (rows, columns) boolean: what the mask hides.
        rows, columns: the sides.
        shares: whether the numbers are shares from 0 to 1, or else signed.
        end: the number at the end of the scale, for shares and for sizes.
        named: whether the words of the rows are written; their numbers are in any case.
        scaled: whether a bar beside it says what its colours mean, where no numbers do.
        absent: what is written where there is no number.
        told: marks whose meaning is said below another panel of the figure.
    """

    title: str
    says: str
    values: np.ndarray
    masked: np.ndarray
    rows: Side
    columns: Side
    shares: bool
    end: float
    named: bool = True
    scaled: bool = True
    absent: str = "NaN"
    told: frozenset[str] = frozenset()

    @cached_property
    def blind(self) -> tuple[int, ...]:
        """The rows, from 0 on, of queries that may see nothing."""
        if self.rows.axis != QUERY or not self.masked.size:
            return ()
        return tuple(np.flatnonzero(self.masked.all(axis=1)).tolist())

    @cached_property
    def nowhere(self) -> np.ndarray:
        """(rows, columns) boolean: where there should be a number and is none."""
        known = np.isnan(self.values) & ~self.masked
        return known if self.absent == "NaN" else np.zeros_like(known)

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """What its marks mean: what is masked, which is no number of 0, who sees nothing, what is padding."""
        marks = {
            HATCHED: self.masked.any(),
            NO_NUMBER: self.nowhere.any(),
            STRUCK: self.blind,
            FRAMED: self.rows.padding or self.columns.padding,
        }
        return tuple(says for says, there in marks.items() if there)


def panels_of(trace: Trace, name: str, head: int | None = None, before: str = "") -> list[Panel]:
    """The panels of one quantity: one for each head, or for each place of another first axis of three.

    Args:
        trace: what has it.
        name: its name.
        head: only the panel of this head (or this place on the first axis).
        before: what stands before the name, such as the label of a captured head.

    Raises:
        LookupError: there is no such quantity or head.
        ValueError: the quantity has no such axis, or more axes than can be drawn.
    """
    quantity = trace[name]
    if len(quantity.axes) > 3:
        raise ValueError(f"kind: {name} has {len(quantity.axes)} axes; expected a quantity with at most 3")
    if len(quantity.axes) < 3:
        if head is not None:
            raise ValueError(f"head: {name} has none, it is {quantity!r}; expected it without a head")
        return [_panel(trace, quantity, None, before)]
    places = range(quantity.shape[0]) if head is None else [quantity.place((head, *quantity.starts[1:]))[0]]
    made = [_panel(trace, quantity, place, before) for place in places]
    end = max(one.end for one in made)
    return [replace(one, end=end) for one in made]


def _panel(trace: Trace, quantity: Quantity, place: int | None, before: str) -> Panel:
    """The matrix of a quantity, or of one place of its first axis; of a row or a number as one of one row."""
    values, masked = quantity.values, quantity.masked
    masked = np.zeros(values.shape, dtype=bool) if masked is None else masked
    if place is not None:
        values, masked = values[place], masked[place]
    sides = [
        Side.of(trace, quantity, at) for at in range(len(quantity.axes) - values.ndim, len(quantity.axes))
    ]
    rows, columns = [NOTHING] * (2 - len(sides)) + sides
    which = (
        []
        if place is None or (quantity.shape[0] == 1 and quantity.axes[0] == HEAD)
        else [f"{quantity.axes[0]} {place}"]
    )
    title = ", ".join([" ".join(filter(None, [plain(before), name_of(quantity.name)])), *which])
    says = ", ".join([" ".join(filter(None, [before, quantity.name])), *which])
    shares = taken_apart(quantity.name)[1] in SHARES
    square = values.reshape(len(rows.places), len(columns.places))
    panel = Panel(title, says, square, masked.reshape(square.shape), rows, columns, shares, 0.0)
    return _made_small(replace(panel, end=end_of(square, shares)))


def end_of(values: np.ndarray, shares: bool) -> float:
    """Where a scale ends: the largest finite size, or 1 for few shares."""
    if shares and max(values.shape) <= FEW:
        return 1.0
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0)) or 1.0


def _made_small(panel: Panel) -> Panel:
    """A map of more points than can be seen, each point the number of largest size among several cells."""
    if max(panel.values.shape) <= POINTS:
        return panel
    values, masked, nowhere = panel.values, panel.masked, panel.nowhere
    values = np.where(masked, np.nan, values)
    sides = []
    for axis, side in enumerate((panel.rows, panel.columns)):
        count = values.shape[axis]
        starts = np.unique(np.arange(min(POINTS, count)) * count // min(POINTS, count))
        high, low = np.fmax.reduceat(values, starts, axis), np.fmin.reduceat(values, starts, axis)
        values = np.where(np.abs(low) > np.abs(high), low, high)
        masked = np.logical_and.reduceat(masked, starts, axis)
        nowhere = np.logical_or.reduceat(nowhere, starts, axis)
        sides.append(thinned(side, starts))
    values = np.where(nowhere, np.nan, values)
    return of_several(replace(panel, values=values, masked=masked, rows=sides[0], columns=sides[1]))


def thinned(side: Side, starts: Sequence[int] | np.ndarray) -> Side:
    """The side of a map whose rows or columns begin at these places and stand for all up to the next.

    One is padding where all that it stands for is.
    """
    ends = [*starts[1:], len(side.places)]
    parts = [side.places[first:after] for first, after in zip(starts, ends, strict=True)]
    padding = frozenset(part[0] for part in parts if side.padding.issuperset(part))
    return replace(
        side, places=tuple(part[0] for part in parts), several=max(map(len, parts)), padding=padding
    )


def of_several(panel: Panel) -> Panel:
    """The panel, with a title that says for how many cells each of its points stands."""
    remark = f"each point the largest of up to {panel.rows.several} × {panel.columns.several}"
    return replace(panel, title=f"{panel.title}, {remark}", says=f"{panel.says}, {remark}")


def runs(table: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """(row, first, after) of each run of True in the rows of a boolean table."""
    edges = np.diff(np.pad(table.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    row, first = np.nonzero(edges == 1)
    after = np.nonzero(edges == -1)[1]
    yield from zip(row.tolist(), first.tolist(), after.tolist(), strict=True)


def described(panel: Panel) -> str:
    """A panel in words: what it is, how large, and its numbers' range."""
    finite = panel.values[np.isfinite(panel.values) & ~panel.masked]
    size = f"{panel.values.shape[0]} × {panel.values.shape[1]}"
    axes = " × ".join(side.axis for side in (panel.rows, panel.columns) if side.axis)
    spread = f", from {finite.min():.4g} to {finite.max():.4g}" if finite.size else ""
    hidden = f", {int(panel.masked.sum())} cells masked" if panel.masked.any() else ""
    return f"{panel.says}: {size}{f' ({axes})' if axes else ''}{spread}{hidden}"
