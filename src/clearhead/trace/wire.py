"""Saved traces: a sealed frame (see `clearhead.trace.frames`) whose header says what each array is and what made it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from clearhead.core.ops import OPERATIONS, Operation
from clearhead.trace.frames import (
    ALIGNMENT,
    LENGTH,
    Form,
    Piece,
    array_at,
    describe,
    frame,
    frame_pieces,
    read_header,
    sealed,
    unsealed,
    write_whole,
)
from clearhead.trace.places import file_place
from clearhead.trace.quantity import Quantity, origin_of
from clearhead.trace.trace import Trace

__all__ = [
    "ALIGNMENT", "describe", "frame", "is_trace", "load_trace", "parse_trace", "save_trace", "trace_bytes",
]  # fmt: skip

TRACE = Form("clearhead-trace", 2, "Clearhead trace", "trace.save()")
WHOLE = 1
"""The version of a trace whose quantities are all whole; since version 2 there are parts."""

DTYPES = ("float64", "uint8")


def trace_bytes(trace: Trace) -> bytes:
    """The trace as a file's content."""
    return b"".join(_trace_pieces(trace))


def _trace_pieces(trace: Trace) -> Iterator[Piece]:
    quantities = list(trace.values())
    buffers = [quantity.values for quantity in quantities]
    parts = any(quantity.origin for quantity in quantities)
    header = {
        "format": TRACE.name, "version": TRACE.version if parts else WHOLE, "tokens": trace.tokens,
        "vocabulary": trace.vocabulary, "provenance": trace.provenance,
        "quantities": [_described(quantity, trace) for quantity in quantities],
        "buffers": describe(buffers),
    }  # fmt: skip
    return sealed(frame_pieces(header, buffers))


def _described(quantity: Quantity, trace: Trace) -> dict[str, Any]:
    """What a quantity is; of a part also where it begins, and which rows of its inputs it was made of."""
    described: dict[str, Any] = {
        "name": quantity.name, "axes": quantity.axes, "operation": _parameters(quantity.operation),
        "inputs": [given.name for given in quantity.inputs],
    }  # fmt: skip
    if quantity.origin:
        described["origin"] = quantity.origin
        described["rows"] = [
            None if trace[given.name] is given else [given.origin[0], len(given.values)]
            for given in quantity.inputs
        ]
    return described


def _parameters(operation: Operation | None) -> dict[str, Any] | None:
    """The name of an operation and its parameters; `first`, which only parts have, where it is not 0."""
    if operation is None:
        return None
    parameters = {part.name: getattr(operation, part.name) for part in fields(operation)}
    if not parameters.get("first", True):
        del parameters["first"]
    return {"name": operation.name} | parameters


def save_trace(trace: Trace, path: str | Path) -> None:
    """Write the whole file beside its place, then move it there: a reader never sees half a file.

    A link is followed, and a file that is there keeps its permissions.

    Raises:
        OSError: the place cannot be written, or is no file; the message names it.
    """
    place = file_place(path)
    try:
        write_whole(place, _trace_pieces(trace))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def is_trace(path: str | Path) -> bool:
    """Whether there is a file that begins as a saved trace does."""
    beginning = f'{{"format":"{TRACE.name}"'.encode()
    try:
        with Path(path).expanduser().open("rb") as file:
            return file.read(LENGTH.size + len(beginning)).endswith(beginning)
    except (OSError, ValueError, RuntimeError):  # none, a folder, or a name that no file can have
        return False


def load_trace(path: str | Path) -> Trace:
    """Read a trace that `Trace.save` wrote; every number and every recipe is as it was.

    Raises:
        ValueError: the file is no trace, is cut short, or comes from a newer version; the message names the file.
        OSError: the file cannot be read.
    """
    return parse_trace(Path(path).read_bytes(), str(path))


def parse_trace(raw: bytes, where: str) -> Trace:
    """A trace from a file's content; `where` names it in messages.

    Raises:
        ValueError: see `load_trace`.
    """
    header, start = read_header(raw, where, TRACE)
    try:
        return _rebuilt(header, unsealed(raw)[start:])
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, struct.error) as error:
        raise ValueError(f"{where}: the trace is damaged or cut short ({error})") from None


def _rebuilt(header: dict[str, Any], buffers: memoryview) -> Trace:
    made: dict[str, Quantity] = {}
    for entry, buffer in zip(header["quantities"], header["buffers"], strict=True):
        quantity = Quantity(
            entry["name"],
            _words(entry["axes"]),
            array_at(buffers, buffer, DTYPES),
            _operation(entry["operation"]),
            _inputs(entry, made),
            _origin(entry),
        )
        _check(quantity)
        made[quantity.name] = quantity
    return Trace(made.values(), _words(header["tokens"]), _words(header["vocabulary"]), header["provenance"])


def _inputs(entry: dict[str, Any], made: dict[str, Quantity]) -> tuple[Quantity, ...]:
    inputs = [made[name] for name in entry["inputs"]]
    rows = entry.get("rows") or [None] * len(inputs)
    return tuple(
        given if part is None else given.rows(part[0], part[0] + part[1])
        for given, part in zip(inputs, rows, strict=True)
    )


def _origin(entry: dict[str, Any]) -> tuple[int | None, ...]:
    origin = entry.get("origin", [])
    whole = not origin or len(origin) == len(entry["axes"])
    if not whole or not all(start is None or (type(start) is int and start >= 0) for start in origin):
        raise ValueError(f"{origin!r} is no place where {entry['name']} begins")
    return tuple(origin)


def _words(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise ValueError(f"{value!r} is no list of words")
    return tuple(value)


def _operation(parameters: dict[str, Any] | None) -> Operation | None:
    if parameters is None:
        return None
    operation = OPERATIONS[parameters["name"]]
    given = {key: value for key, value in parameters.items() if key != "name"}
    return operation(**{key: _tuples(value) for key, value in given.items()})


def _tuples(value: Any) -> Any:
    """Lists as the tuples they were, at any depth."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _check(quantity: Quantity) -> None:
    """What a quantity says it is must be what its operation makes of its inputs, so that its recipes hold.

    Other machines add in another order; 1e-9 relative to the largest number is far above that and far below any damage.
    """
    if quantity.values.ndim != len(quantity.axes):
        raise ValueError(
            f"{quantity.name} has {quantity.values.ndim} axes and {len(quantity.axes)} names for them"
        )
    if quantity.operation is None:
        return
    if quantity.origin != origin_of(quantity.axes, quantity.inputs):
        raise ValueError(f"{quantity.name} does not begin where what it was made of begins")
    again = quantity.operation.forward(*(given.values for given in quantity.inputs))
    scale = float(np.abs(again[np.isfinite(again)]).max(initial=0.0))
    if quantity.axes != quantity.operation.axes or again.shape != quantity.shape:
        raise ValueError(f"{quantity.name} has not the shape that its operation makes")
    if not np.allclose(quantity.values, again, rtol=1e-9, atol=1e-9 * scale, equal_nan=True):
        raise ValueError(f"{quantity.name} does not follow from what it was made of")
