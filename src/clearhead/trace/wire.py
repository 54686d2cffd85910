"""The binary form of traces and replies: a JSON header, then the arrays as they lie in memory.

A frame is a uint32 (little-endian) length, that many bytes of JSON padded with spaces so that what follows starts at a
multiple of 8, and the buffers one after another, each padded to a multiple of 8. The same frame travels to the page
and, with a checksum at its end, is the saved file.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from clearhead.core.ops import OPERATIONS, Operation
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace

FORMAT, VERSION = "clearhead-trace", 1
ALIGNMENT = 8
DTYPES = ("float64", "uint8")
CHECKSUM = struct.Struct("<Q")
"""A saved trace ends with the CRC-32 of everything before it, so that no damage goes unseen."""


def frame(header: dict[str, Any], buffers: list[np.ndarray]) -> bytes:
    """Header and buffers as one run of bytes."""
    text = json.dumps(header, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    text += b" " * (-(4 + len(text)) % ALIGNMENT)
    return struct.pack("<I", len(text)) + text + b"".join(_padded(buffer.tobytes()) for buffer in buffers)


def _padded(raw: bytes) -> bytes:
    return raw + bytes(-len(raw) % ALIGNMENT)


def describe(buffers: list[np.ndarray], start: int = 0) -> list[dict[str, Any]]:
    """Where each buffer lies, counted from the first byte after the header, beginning at `start`."""
    described, offset = [], start
    for buffer in buffers:
        entry = {
            "dtype": str(buffer.dtype),
            "shape": list(buffer.shape),
            "offset": offset,
            "bytes": buffer.nbytes,
        }
        described.append(entry)
        offset += buffer.nbytes + (-buffer.nbytes % ALIGNMENT)
    return described


def trace_bytes(trace: Trace) -> bytes:
    """The trace as a file's content."""
    quantities = list(trace.values())
    buffers = [quantity.values for quantity in quantities]
    header = {
        "format": FORMAT, "version": VERSION, "tokens": trace.tokens, "vocabulary": trace.vocabulary,
        "provenance": trace.provenance,
        "quantities": [
            {
                "name": quantity.name, "axes": quantity.axes, "operation": _parameters(quantity.operation),
                "inputs": [given.name for given in quantity.inputs],
            }
            for quantity in quantities
        ],
        "buffers": describe(buffers),
    }  # fmt: skip
    content = frame(header, buffers)
    return content + CHECKSUM.pack(zlib.crc32(content))


def _parameters(operation: Operation | None) -> dict[str, Any] | None:
    if operation is None:
        return None
    return {"name": operation.name} | {part.name: getattr(operation, part.name) for part in fields(operation)}


def save_trace(trace: Trace, path: str | Path) -> None:
    """Write the whole file beside its place, then move it there: a reader never sees half a file.

    A link is followed, and a file that is there keeps its permissions.

    Raises:
        OSError: the place cannot be written, or is no file; the message names it.
    """
    place = Path(path).resolve()
    if place.exists() and not place.is_file():
        raise IsADirectoryError(f"{path}: a trace cannot be saved here; expected the path of a file")
    part = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        part.write_bytes(trace_bytes(trace))
        if place.exists():
            part.chmod(place.stat().st_mode)
        os.replace(part, place)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def load_trace(path: str | Path) -> Trace:
    """Read a trace that `Trace.save` wrote; every number and every recipe is as it was.

    Raises:
        ValueError: the file is no trace, is cut short, or comes from a newer version; the message names the file.
    """
    return parse_trace(Path(path).read_bytes(), str(path))


def parse_trace(raw: bytes, where: str) -> Trace:
    """A trace from a file's content; `where` names it in messages.

    Raises:
        ValueError: see `load_trace`.
    """
    header, start = _header(raw, where)
    try:
        content, checksum = raw[: -CHECKSUM.size], raw[-CHECKSUM.size :]
        if CHECKSUM.unpack(checksum) != (zlib.crc32(content),):
            raise ValueError("its checksum does not fit")
        return _rebuilt(header, memoryview(content)[start:])
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, struct.error) as error:
        raise ValueError(f"{where}: the trace is damaged or cut short ({error})") from None


def _header(raw: bytes, where: str) -> tuple[dict[str, Any], int]:
    try:
        (length,) = struct.unpack_from("<I", raw)
        header = json.loads(raw[4 : 4 + length])
        known = header["format"] == FORMAT and type(header["version"]) is int
    except (struct.error, ValueError, LookupError, TypeError, RecursionError):
        known = False
    if not known:
        raise ValueError(f"{where}: not a Clearhead trace; expected a file written by trace.save()")
    if header["version"] > VERSION:
        version = header["version"]
        raise ValueError(
            f"{where}: written by a newer Clearhead (format {version}); this one reads up to {VERSION}"
        )
    return header, 4 + length


def _rebuilt(header: dict[str, Any], buffers: memoryview) -> Trace:
    made: dict[str, Quantity] = {}
    for entry, buffer in zip(header["quantities"], header["buffers"], strict=True):
        quantity = Quantity(
            entry["name"],
            _words(entry["axes"]),
            _array(buffers, buffer),
            _operation(entry["operation"]),
            tuple(made[name] for name in entry["inputs"]),
        )
        _check(quantity)
        made[quantity.name] = quantity
    return Trace(made.values(), _words(header["tokens"]), _words(header["vocabulary"]), header["provenance"])


def _words(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise ValueError(f"{value!r} is no list of words")
    return tuple(value)


def _array(buffers: memoryview, buffer: dict[str, Any]) -> np.ndarray:
    dtype, shape, offset, size = (buffer[key] for key in ("dtype", "shape", "offset", "bytes"))
    if dtype not in DTYPES or not all(
        type(number) is int and number >= 0 for number in (*shape, offset, size)
    ):
        raise ValueError(f"no array can be {buffer!r}")
    return np.frombuffer(buffers[offset : offset + size], dtype).reshape(shape)


def _operation(parameters: dict[str, Any] | None) -> Operation | None:
    if parameters is None:
        return None
    operation = OPERATIONS[parameters["name"]]
    given = {key: value for key, value in parameters.items() if key != "name"}
    return operation(
        **{key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}
    )


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
    again = quantity.operation.forward(*(given.values for given in quantity.inputs))
    scale = float(np.abs(again[np.isfinite(again)]).max(initial=0.0))
    if quantity.axes != quantity.operation.axes or again.shape != quantity.shape:
        raise ValueError(f"{quantity.name} has not the shape that its operation makes")
    if not np.allclose(quantity.values, again, rtol=1e-9, atol=1e-9 * scale):
        raise ValueError(f"{quantity.name} does not follow from what it was made of")
