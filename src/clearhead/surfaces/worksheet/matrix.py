"""The matrices of a worksheet: cut into pieces that fit on paper, with labels, numbers and empty boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clearhead.core.axes import SENTENCE_AXES, VOCABULARY
from clearhead.lenses.palette import position_colour
from clearhead.surfaces.worksheet.numbers import as_answer, on_paper
from clearhead.surfaces.worksheet.words import cut
from clearhead.trace.quantity import Quantity

if TYPE_CHECKING:
    from clearhead.surfaces.worksheet.pages import Sheet

MOST_ROWS = 16
"""Rows of a piece: with boxes for handwriting it is shorter than a page."""

ROOM = 146.0
"""Millimetres that the columns of a piece may take beside the labels of its rows, on the narrower paper."""

BOX, NARROW_BOX, GIVEN = 17.0, 13.5, 12.5
"""Widths of a column in millimetres: of boxes to write in, of those in wide matrices, and of printed numbers."""

CALLED = {"model": "column", "joined": "column", "vocabulary": "word", "hidden": "hidden column"}
"""Axes that are called something else on paper."""

ACROSS, DOWN = 8, 14
"""Columns of text that a word may take above a column and beside a row."""


def matrices(sheet: Sheet, quantity: Quantity) -> Iterator[dict[str, Any]]:
    """The pieces of a quantity's matrices, each with what it is `of`: which head, which rows and columns."""
    mask = sheet.hidden.get(quantity.name)
    is_open = mask is not None and bool(mask.any())
    outer, axes = quantity.axes[:-2], ("", "", *quantity.axes)[-2:]
    called = [f"{CALLED.get(axis, axis)} {way}" if axis else "" for axis, way in zip(axes, "↓→", strict=True)]
    rows, columns = _places(sheet, quantity, -2), _places(sheet, quantity, -1)
    width = BOX if is_open and len(columns) * BOX <= ROOM else NARROW_BOX if is_open else GIVEN
    pieces = [
        (some, these) for some in _pieces(rows, MOST_ROWS) for these in _pieces(columns, int(ROOM // width))
    ]
    for place in np.ndindex(*quantity.shape[:-2]):
        values = np.atleast_2d(quantity.values[place])
        hidden = np.zeros(values.shape, bool) if mask is None else np.atleast_2d(mask[place])
        for some, these in pieces:
            of = [f"{axis} {at}" for axis, at in zip(outer, place, strict=True) if quantity.shape[0] > 1]
            if len(pieces) > 1:
                of += [_part(axes[0], some, rows), _part(axes[1], these, columns)]
            yield {
                "of": ", ".join(part for part in of if part),
                "open": is_open,
                "width": width,
                "axes": called,
                "labelled": bool(axes[0]),
                "across": len(these),
                "columns": [_label(sheet, axes[1], at, ACROSS) for at in these] if axes[1] else None,
                "rows": [
                    {
                        "label": _label(sheet, axes[0], row, DOWN),
                        "cells": [_cell(sheet, values[row, at], bool(hidden[row, at])) for at in these],
                    }
                    for row in some
                ],
            }


def _places(sheet: Sheet, quantity: Quantity, axis: int) -> Sequence[int]:
    """The places along one of the last two axes that are printed: of E's rows those of the sentence, where these do."""
    if len(quantity.axes) < -axis:
        return range(1)
    if quantity.axes[axis] == VOCABULARY and quantity.operation is None and not sheet.predicts:
        return sorted(set(sheet.example.rows))
    return range(quantity.shape[axis])


def _pieces(places: Sequence[int], most: int) -> list[Sequence[int]]:
    """In pieces of about one size, none longer than `most`."""
    count = -(-len(places) // most)
    size = -(-len(places) // count)
    return [places[at : at + size] for at in range(0, len(places), size)]


def _part(axis: str, part: Sequence[int], whole: Sequence[int]) -> str:
    return "" if len(part) == len(whole) else f"{axis} {part[0]}–{part[-1]}"


def _label(sheet: Sheet, axis: str, place: int, longest: int) -> dict[str, Any]:
    if not axis:
        return {"number": "", "word": None, "colour": None}
    words = sheet.trace.words(axis)
    word = cut(words[place], longest, sheet.lacking) if place < len(words) else None
    colour = position_colour(place, len(words)) if axis in SENTENCE_AXES and place < len(words) else None
    return (
        {"number": str(place), "word": word, "colour": colour}
        if axis
        else {"number": "", "word": None, "colour": None}
    )


def _cell(sheet: Sheet, value: float, hidden: bool) -> dict[str, Any]:
    if not hidden:
        return {"text": on_paper(float(value), sheet.digits), "hidden": False}
    return {"text": as_answer(float(value), sheet.digits) if sheet.answers else "", "hidden": True}
