"""The smallest example as text. Of what is wide only the columns are written in which something stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from clearhead.lenses.diagnose.smallest import Smallest, plain
from clearhead.trace.shortened import shortened

WIDE = 16
"""Columns that a person reads; of more only those that are not 0."""
FEW = 5
"""Terms of a sum that are written, the largest; in wide examples nearly all the others are 0."""


def lines_of(example: Smallest) -> list[str]:
    """What goes in, both outputs, and the right cell worked."""
    case = example.case
    mask = "" if case.spec.mask == "none" else f", mask {case.spec.mask}"
    lines = [f"The smallest example found has {case.sizes[1]} tokens{mask}:"]
    for name, array in case.given.items():
        lines += _lines(name, plain(array))
    lines += _weight_lines(case.weights)
    for name, yours, right in example.compared():
        columns = _columns(yours, right)
        lines += [*_lines(f"{name}yours", yours, columns), *_lines(f"{name}right", right, columns)]
    return [*lines, *_worked(example)]


def _worked(example: Smallest) -> list[str]:
    if example.cell is None:
        return []
    right = example.reference[example.step]
    place = ",".join(map(str, example.cell))
    yours = example.known[example.step].values[example.cell]
    both = f"{_number(yours)} in yours, and {_number(right.values[example.cell])} is right"
    compared = f"{example.step}[{place}] is {both}:"
    return ["", compared, *str(shortened(right.explain(*example.cell), FEW)).splitlines()]


def _weight_lines(weights: Mapping[str, np.ndarray]) -> list[str]:
    """The weights, in words where they are all identities."""
    biases = [name for name in weights if name.startswith("b_") and weights[name].any()]
    alike = [name for name, array in weights.items() if array.ndim == 2 and _is_identity(array)]
    lines = [f"  {', '.join(alike)}: 1 on the diagonal, 0 elsewhere"] if alike else []
    for name, array in weights.items():
        if name not in alike and (array.ndim == 2 or name in biases):
            lines += _lines(name, np.atleast_2d(array))
    return lines


def _is_identity(array: np.ndarray) -> bool:
    return bool(np.array_equal(array, np.eye(*array.shape)))


def _columns(*arrays: np.ndarray) -> list[int]:
    """Those in which something stands; all of them, where they can be read."""
    width = arrays[0].shape[-1]
    if width <= WIDE:
        return list(range(width))
    used = [(array.reshape(-1, width) != 0).any(axis=0) for array in arrays]
    return [int(column) for column in np.flatnonzero(np.any(used, axis=0))]


def _lines(name: str, array: np.ndarray, columns: list[int] | None = None) -> list[str]:
    """The rows of an array under its name; what is left out is 0, and is said to be."""
    columns = _columns(array) if columns is None else columns
    if len(columns) == array.shape[-1]:
        return [f"  {name}{line}" for line in _rows(array)]
    rows = [row for row in range(len(array)) if len(array) <= WIDE or array[row].any()]
    at = (
        f"rows {_listing(rows)}, columns {_listing(columns)}" if len(rows) < len(array) else _listing(columns)
    )
    head = f"  {name}, {at if len(rows) < len(array) else f'columns {at}'}; all others are 0:"
    return [head, *(f"  {name}{line}" for line in _rows(array[..., columns], rows))]


def _listing(places: list[int]) -> str:
    return ", ".join(map(str, places))


def _rows(array: np.ndarray, rows: list[int] | None = None) -> Iterator[str]:
    """The rows of a matrix, behind its name: a head's number in front where there are several."""
    if array.ndim > 2:
        for head, matrix in enumerate(array):
            yield from (f"[{head}]{line}" for line in _rows(matrix, rows))
        return
    width = max((len(_number(one)) for one in array.flat), default=0)
    for row in range(len(array)) if rows is None else rows:
        yield f"[{row}]  " + "  ".join(_number(one).rjust(width) for one in array[row])


def _number(value: float) -> str:
    return f"{value:.4g}"
