"""A matrix as lines of text: its name, its axes, every number, folded to the width of the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from rich.style import Style
from rich.text import Text

from clearhead.core.axes import SENTENCE_AXES, VOCABULARY
from clearhead.messages.values import Digits
from clearhead.surfaces.cli.marks import DIM, chip, tint, word
from clearhead.trace.notation.numbers import format_number
from clearhead.trace.trace import Trace

INDENT = 2
HATCH = "╱"
"""Stands before every number of a masked cell, as the hatching does on the page."""

MASKED = f"{HATCH} masked"


@dataclass(frozen=True)
class Sheet:
    """One matrix, ready to be laid out.

    Attributes:
        axes: what the rows and the columns count.
        rows: a label for each row.
        columns: a label for each column.
        numbers: the number of each column.
        values: (rows, columns).
        forbidden: (rows, columns), true where masked; None where nothing is.
        scale: "signed" or "weights".
        largest: the largest finite magnitude that the tint's scale reaches to.
    """

    axes: tuple[str, str]
    rows: list[Text]
    columns: list[Text]
    numbers: Sequence[int]
    values: np.ndarray
    forbidden: np.ndarray | None
    scale: str
    largest: float

    def lines(self, width: int, digits: Digits) -> Iterator[Text]:
        """The matrix, in as many blocks of columns as the width asks for."""
        shown = [self._row(row, digits) for row in range(len(self.rows))]
        ways = zip(self.axes, "↓→", strict=True)
        corner = Text("  ".join(f"{axis} {to}" for axis, to in ways if axis), "dim")
        margin = max(corner.cell_len, *(row.cell_len for row in self.rows)) + 1
        widths = self._widths(shown, width - INDENT - margin)
        blocks = _folded(widths, width - INDENT - margin)
        for number, block in enumerate(blocks):
            if len(blocks) > 1:
                yield from [Text("")] * (number > 0)
                yield Text(" " * INDENT) + Text(self._part(block), "italic dim")
            if corner:  # a single number has none
                header = Text("").join(_right(self.columns[at], widths[at]) for at in block)
                yield _margin(corner, margin) + header
            for label, row in zip(self.rows, shown, strict=True):
                cells = ((f"{row[at].text:>{widths[at] - 1}} ", row[at].style) for at in block)
                yield _margin(label, margin).append_tokens(cells)

    def _part(self, block: list[int]) -> str:
        """Which columns a block has; of words that were chosen there is no "of"."""
        part = f"{self.axes[1]} {self.numbers[block[0]]}–{self.numbers[block[-1]]}"
        last = len(self.numbers) - 1
        return f"{part} of 0–{last}" if self.numbers[-1] == last else part

    def _row(self, row: int, digits: Digits) -> list[_Cell]:
        return [self._cell(row, column, digits) for column in range(len(self.columns))]

    def _cell(self, row: int, column: int, digits: Digits) -> _Cell:
        value = float(self.values[row, column])
        text = format_number(value, digits)
        if self.forbidden is not None and self.forbidden[row, column]:
            return _Cell(HATCH + text, DIM)
        return _Cell(text, tint(value, self.scale, self.largest))

    def _widths(self, shown: list[list[_Cell]], room: int) -> list[int]:
        """How wide each column is, one column free on each side; all alike if they fit, to be read across easily."""
        numbers = [max(len(cell.text) for cell in column) for column in zip(*shown, strict=True)]
        widths = [
            max(label.cell_len, number) + 2 for label, number in zip(self.columns, numbers, strict=True)
        ]
        return [max(widths)] * len(widths) if max(widths) * len(widths) <= room else widths


class _Cell(NamedTuple):
    """A number as it is written; not a Text, because a long sentence has a million of them."""

    text: str
    style: Style


def _margin(label: Text, width: int) -> Text:
    return Text(" " * INDENT) + label + Text(" " * (width - label.cell_len))


def _right(label: Text, width: int) -> Text:
    return Text(" " * (width - 1 - label.cell_len)) + label + Text(" ")


def _folded(widths: list[int], room: int) -> list[list[int]]:
    """The columns in runs that fit; a column wider than the room stands alone."""
    blocks: list[list[int]] = [[]]
    for column, width in enumerate(widths):
        if blocks[-1] and sum(widths[at] for at in blocks[-1]) + width > room:
            blocks.append([])
        blocks[-1].append(column)
    return blocks


def labels(trace: Trace, axis: str, places: Sequence[int]) -> list[Text]:
    """What stands at rows or columns: positions as chips, words of E with their row, else numbers; "" has no name."""
    if axis in SENTENCE_AXES and len(places) <= len(trace.tokens):
        return [chip(position, trace.tokens) for position in places]
    if axis == VOCABULARY:
        return [Text.assemble((str(row), "dim"), " ", word(trace.vocabulary[row])) for row in places]
    return [Text(str(number) if axis else "", "dim") for number in places]


def shape_in_words(axes: Sequence[str], shape: Sequence[int]) -> str:
    """The sizes with what they count: "1 head × 5 queries × 5 keys"."""
    counted = [f"{size} {_counted(axis, size)}" for axis, size in zip(axes, shape, strict=True)]
    return " × ".join(counted) or "one number"


COUNTED = {
    "vocabulary": ("word", "words"), "query": ("query", "queries"), "model": ("column", "columns"),
    "joined": ("column", "columns"), "hidden": ("hidden column", "hidden columns"),
}  # fmt: skip
"""What one place, and several, along an axis are called, where that is not the axis's name and an s."""


def _counted(axis: str, size: int) -> str:
    one, many = COUNTED.get(axis, (axis, f"{axis}s"))
    return one if size == 1 else many
