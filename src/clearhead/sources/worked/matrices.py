"""Reading a person's matrices: lists or arrays in, float64 arrays out, and one clear sentence for what is wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np


class ExampleError(ValueError):
    """A mistake in an example.

    Attributes:
        field: the field it is in, such as "W_Q" or "tokens".
        problem: what is wrong there, and what was expected.
        source: the file, if the example came from one.
    """

    def __init__(self, field: str, problem: str, source: str = "") -> None:
        self.field, self.problem, self.source = field, problem, source
        super().__init__(": ".join(part for part in (source, field, problem) if part))


def read_matrix(field: str, rows: Any) -> np.ndarray:
    """A matrix of finite numbers.

    Raises:
        ExampleError: no rows, ragged rows, or an entry that is not a finite number; it names the row.
    """
    if (read_already := _as_read(rows, 2)) is not None:
        return read_already
    rows = plain(rows)
    if not isinstance(rows, list | tuple) or not rows:
        raise ExampleError(field, f"expected a list of rows of numbers, got {shown(rows)}")
    read = [read_row(f"{field}, row {number}", row) for number, row in enumerate(rows)]
    for number, row in enumerate(read):
        if len(row) != len(read[0]):
            raise ExampleError(
                field,
                f"row {number} has {count(len(row), 'number')} and row 0 has {len(read[0])}; "
                "expected rows of one length",
            )
    return read_only(np.array(read))


def read_row(field: str, row: Any) -> np.ndarray:
    """A row of finite numbers.

    Raises:
        ExampleError: not a list of finite numbers; it names the entry.
    """
    if (read_already := _as_read(row, 1)) is not None:
        return read_already
    row = plain(row)
    if not isinstance(row, list | tuple) or not row:
        raise ExampleError(field, f"expected a list of numbers, got {shown(row)}")
    for column, entry in enumerate(map(plain, row)):
        if isinstance(entry, list | tuple):
            raise ExampleError(field, f"entry {column}: expected a number, got a list; a matrix has two axes")
        if isinstance(entry, bool) or not isinstance(entry, int | float | np.integer | np.floating):
            raise ExampleError(field, f"entry {column}: expected a number, got {shown(entry)}")
        if not _is_finite(entry):
            raise ExampleError(field, f"entry {column}: expected a finite number, got {shown(entry)}")
    return read_only(np.array([float(entry) for entry in map(plain, row)]))


def _as_read(array: Any, axes: int) -> np.ndarray | None:
    """An array in which there is nothing to find fault with, as reading its numbers one by one would give it."""
    if not isinstance(array, np.ndarray) or array.dtype != np.float64 or array.ndim != axes:
        return None
    if not array.size or not np.isfinite(array).all():
        return None
    own = array.flags.writeable or array.base is not None  # whoever holds it could still write to it
    return read_only(array.copy() if own else array)


def plain(value: Any) -> Any:
    """Arrays, tensors and their scalars as Python's own lists and numbers; everything else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


def read_only(array: np.ndarray) -> np.ndarray:
    """The array, closed against changes that no check would see."""
    array.flags.writeable = False
    return array


def _is_finite(entry: Any) -> bool:
    try:
        return math.isfinite(entry)
    except OverflowError:  # an integer beyond float64
        return False


def read_table(field: str, table: Any) -> dict[str, np.ndarray]:
    """E: a row of numbers for each word.

    Raises:
        ExampleError: not a table, empty, or rows of unequal length; it names the words.
    """
    if not isinstance(table, Mapping) or not table:
        raise ExampleError(field, f"expected a row of numbers for each word, got {shown(table)}")
    rows = {}
    for word, row in table.items():
        if not is_text(word):
            raise ExampleError(field, f"expected words as names of the rows, got {shown(word)}")
        rows[word] = read_row(f"{field}, row {word!r}", row)
    first_word, first = next(iter(rows.items()))
    for word, row in rows.items():
        if len(row) != len(first):
            lengths = f"{word!r} has {count(len(row), 'number')} and that of {first_word!r} has {len(first)}"
            raise ExampleError(field, f"the row of {lengths}; expected rows of one length")
    return rows


def is_text(value: Any) -> bool:
    """Whether the value is text that is not empty and can be written in UTF-8 (a lone surrogate cannot)."""
    return isinstance(value, str) and value != "" and value.encode(errors="ignore").decode() == value


def whole(field: str, value: Any, least: int) -> int:
    """A whole number, also one of NumPy's.

    Raises:
        ExampleError: it is none, or below `least`; the message names the field.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ExampleError(field, f"expected a whole number from {least}, got {shown(value)}")
    return int(value)


def count(number: int, noun: str) -> str:
    """The number and the noun, in the plural where it must be."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def shown(value: Any) -> str:
    """The value, shortened for a sentence."""
    try:
        text = repr(value)
    except ValueError:  # an integer of thousands of digits
        text = "a number of very many digits"
    return text if len(text) <= 60 else f"{text[:57]}..."
