"""A person's changes to an example, as JSON-able data: other words, other rows, other entries, other switches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clearhead.sources.worked.example import SWITCHES, Example
from clearhead.sources.worked.matrices import ExampleError, read_row, shown

AXES = ("row", "column")
CHANGES = ("example", "tokens", "rows", "edits", *SWITCHES)


def example_of(state: Mapping[str, Any], base: Example) -> Example:
    """The example that `state` describes: `base` with the person's changes (see `clearhead.messages.State`).

    Raises:
        ExampleError: a change does not fit; the message names the field and what was expected.
    """
    for name in state:
        if name not in CHANGES:
            raise ExampleError("state", f"{name!r} is not known; expected only {', '.join(CHANGES)}")
    changed: dict[str, Any] = {name: state[name] for name in SWITCHES if name in state}
    if "tokens" in state:
        changed["tokens"] = state["tokens"]
    tables: dict[str, Any] = base.parameters | {"E": dict(base.E)}
    for word, row in _rows(state).items():
        tables["E"][word] = read_row(f"rows, {word!r}", row)
    if "W_U" in tables:
        tables["W_U"] = _with_new_words(tables["W_U"], list(tables["E"].values()))
    for edit in _edits(state):
        _apply(edit, tables)
    changed |= {name: tables.pop(name) for name in ("E", "W_U") if name in tables}
    return base.vary(**changed).with_parameters(tables)


def _with_new_words(W_U: np.ndarray, rows: list[np.ndarray]) -> np.ndarray:
    """The unembedding with a column for each word that was added: the word's row of E, as in a tied model."""
    added = rows[W_U.shape[1] :]
    return np.column_stack([W_U, *added]) if added else W_U


def _rows(state: Mapping[str, Any]) -> Mapping[str, Any]:
    rows = state.get("rows", {})
    if not isinstance(rows, Mapping):
        raise ExampleError("rows", f"expected a row of numbers for each word, got {rows!r}")
    return rows


def _edits(state: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    edits = state.get("edits", [])
    if not isinstance(edits, list) or not all(isinstance(edit, Mapping) for edit in edits):
        raise ExampleError("edits", f"expected a list of changed entries, got {edits!r}")
    return edits


def _apply(edit: Mapping[str, Any], tables: dict[str, Any]) -> None:
    """Put one changed entry into a copy of its row or matrix."""
    name, row, column = edit.get("matrix"), edit.get("row"), edit.get("column")
    if not isinstance(name, str) or name not in tables:
        raise ExampleError("edits", f"no matrix is named {name!r} here; expected one of {', '.join(tables)}")
    field = f"edits, {name}[{row!r},{column!r}]"
    (value,) = read_row(field, [edit.get("value")])
    if name == "E":
        if not isinstance(row, str) or row not in tables["E"]:
            raise ExampleError(
                field, f"E has no row for {shown(row)}; expected one of {', '.join(tables['E'])}"
            )
        tables["E"][row] = _replaced(tables["E"][row], (column,), value, field)
    elif tables[name].ndim == 1:  # its entries are in column 0
        tables[name] = _replaced(tables[name][:, None], (row, column), value, field)[:, 0]
    else:
        tables[name] = _replaced(tables[name], (row, column), value, field)


def _replaced(array: np.ndarray, place: tuple[Any, ...], value: float, field: str) -> np.ndarray:
    """A copy of the array with one entry changed."""
    inside = all(
        type(number) is int and 0 <= number < size for number, size in zip(place, array.shape, strict=True)
    )
    if not inside:
        ranges = zip(AXES[-array.ndim :], array.shape, strict=True)
        expected = " and a ".join(f"{what} from 0 to {size - 1}" for what, size in ranges)
        raise ExampleError(field, f"there is no such entry; expected a {expected}")
    copy = array.copy()
    copy[place] = value
    return copy
