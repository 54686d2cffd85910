"""Files of named arrays in the safetensors format, which many programs read, written in pieces.

Such a file is the length of its header (uint64, little-endian), the header (JSON: of each array the format, the shape
and where it begins and ends; and under `__metadata__` a table of strings), and the arrays one after another without
gaps. See https://github.com/huggingface/safetensors, section "Format". The last array is ours: the checksums of the
others, which are known only when those are written, so that each has to be taken over no more than once.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from clearhead.trace.capture.held import Held
from clearhead.trace.frames import Piece

LENGTH = struct.Struct("<Q")

METADATA = "__metadata__"

CHECKSUMS = "checksums"
"""The last array: (arrays, 4) bytes, of each the CRC-32 of the others, in the order in which they lie."""

CHECKSUM = np.dtype("<u4")
"""How each of them is written."""

PIECE = 2**24
"""About how many bytes are taken over at once from where an array is kept."""

NAMES = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "int32": "I32",
    "int16": "I16", "int8": "I8", "uint64": "U64", "uint32": "U32", "uint16": "U16", "uint8": "U8", "bool": "BOOL",
}  # fmt: skip
"""The formats of numbers, and what the file calls them."""

LYING = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1", "BOOL": "|b1",
}  # fmt: skip
"""How NumPy calls them as they lie in the file; of bfloat16, which it lacks, the 16 bits."""

Table = dict[str, dict[str, Any]]
"""For each array {"dtype": ..., "shape": [...], "data_offsets": [begin, end]}, counted from the end of the header."""


def laid_out(arrays: Mapping[str, Held]) -> Table:
    """Where each array will lie: those of wide numbers first, so that every one begins at a multiple of its width.

    Raises:
        ValueError: the numbers of one are of a format that the file has no name for.
    """
    table: Table = {}
    begin = 0
    for name in sorted(arrays, key=lambda name: -_width(name, arrays[name])):
        held = arrays[name]
        end = begin + _width(name, held) * _count(held.shape)
        table[name] = {
            "dtype": NAMES[str(held.dtype)],
            "shape": list(held.shape),
            "data_offsets": [begin, end],
        }
        begin = end
    size = [len(table), CHECKSUM.itemsize]
    table[CHECKSUMS] = {"dtype": "U8", "shape": size, "data_offsets": [begin, begin + _count(tuple(size))]}
    return table


def pieces(arrays: Mapping[str, Held], table: Table, metadata: Mapping[str, str]) -> Iterator[Piece]:
    """The content of the file, piece by piece: of no array more than a part is in memory."""
    header = json.dumps({METADATA: metadata, **table}, ensure_ascii=False, separators=(",", ":")).encode()
    header += b" " * (-(LENGTH.size + len(header)) % LENGTH.size)
    yield LENGTH.pack(len(header)) + header
    checksums = []
    for held in (arrays[name] for name in table if name != CHECKSUMS):
        checksum = 0
        for piece in _content(held):
            checksum = zlib.crc32(piece, checksum)
            yield piece
        checksums.append(checksum)
    yield np.array(checksums, dtype=CHECKSUM).view(np.uint8).data


def checksum_of(held: Held) -> int:
    """The checksum that an array has in a file."""
    checksum = 0
    for piece in _content(held):
        checksum = zlib.crc32(piece, checksum)
    return checksum


def _content(held: Held) -> Iterator[Piece]:
    """The bytes of an array as they lie in a file."""
    return (_bytes(part, NAMES[str(held.dtype)]) for part in _parts(held))


def _width(name: str, held: Held) -> int:
    """Bytes of one of its numbers."""
    form = NAMES.get(str(held.dtype))
    if form is None:
        raise ValueError(
            f"{name}: numbers of format {held.dtype} cannot be saved; expected {', '.join(NAMES)}"
        )
    return np.dtype(LYING[form]).itemsize


def _count(shape: tuple[int, ...]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


def _parts(held: Held) -> Iterator[np.ndarray]:
    """The array in parts of about `PIECE` bytes at most, in the order in which it lies."""
    rest, axis = 8 * _count(held.shape), 0  # bytes of what the axes from here on hold, at most
    while axis < len(held.shape) and rest > PIECE and held.shape[axis]:
        rest //= held.shape[axis]
        axis += 1
    if not axis:
        yield held[...]
        return
    step = max(1, PIECE // max(1, rest))  # of the last of the axes that are gone along
    *outer, last = held.shape[:axis]
    for place in np.ndindex(*outer):
        for first in range(0, last, step):
            yield held[(*place, slice(first, first + step))]


def _bytes(part: np.ndarray, form: str) -> Piece:
    """The numbers as they lie in the file. bfloat16 comes as float32, whose upper half it is."""
    if form == "BF16":
        part = np.ascontiguousarray(part, dtype="<f4").view("<u4") >> 16
    return np.ascontiguousarray(part, dtype=LYING[form]).reshape(-1).view(np.uint8).data


def read_header(path: Path) -> tuple[Table, dict[str, str], int]:
    """Where the arrays of a file lie, its table of strings, and where the first array begins.

    Raises:
        ValueError: it is no such file.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        raw = file.read(LENGTH.size)
        if len(raw) < LENGTH.size:
            raise ValueError("it has no header")
        (length,) = LENGTH.unpack(raw)
        if length > path.stat().st_size:
            raise ValueError("its header is not whole")
        try:
            header = json.loads(file.read(length))
        except RecursionError:
            raise ValueError("its header is no table") from None
    if not isinstance(header, dict):
        raise ValueError("its header is no table")
    metadata = header.pop(METADATA, {})
    return header, metadata if isinstance(metadata, dict) else {}, LENGTH.size + length


def check(table: Table, room: int) -> None:
    """Refuse a table whose arrays do not fill so many bytes, one after another, the checksums last.

    Raises:
        ValueError, LookupError or TypeError: they do not.
    """
    reached = 0
    for name, entry in table.items():
        begin, end = entry["data_offsets"]
        if not all(type(size) is int and size >= 0 for size in (begin, end, *entry["shape"])):
            raise ValueError(f"{name} lies nowhere")
        if end - begin != np.dtype(LYING[entry["dtype"]]).itemsize * _count(tuple(entry["shape"])):
            raise ValueError(f"{name} has not the size that its shape says")
        if begin != reached:
            raise ValueError(f"{name} does not begin where the array before it ends")
        reached = end
    if list(table)[-1:] != [CHECKSUMS] or table[CHECKSUMS]["shape"] != [len(table) - 1, CHECKSUM.itemsize]:
        raise ValueError("its arrays have no checksums")
    if reached != room:
        raise ValueError(f"its arrays should have {reached} bytes, and there are {room}")


def checksums_of(path: Path, table: Table, start: int) -> dict[str, int]:
    """The checksum of every array of a file whose content fits all of them, read from one end to the other.

    Plain reads, not a map: what is mapped counts as memory that the process uses.

    Raises:
        ValueError, LookupError or TypeError: the table is none, or an array is damaged.
        OSError: the file cannot be read.
    """
    check(table, path.stat().st_size - start)
    with path.open("rb") as file:
        file.seek(start)
        found = {}
        for name, entry in table.items():
            begin, end = entry["data_offsets"]
            if name == CHECKSUMS:
                break
            found[name] = _read_over(file, end - begin)
        kept = np.frombuffer(file.read(end - begin), dtype=CHECKSUM).tolist()
    if list(found.values()) != kept:
        raise ValueError("its checksums do not fit")
    return found


def _read_over(file: BinaryIO, count: int) -> int:
    """The checksum of the next bytes of a file."""
    checksum = 0
    while count > 0 and (piece := file.read(min(PIECE, count))):
        checksum, count = zlib.crc32(piece, checksum), count - len(piece)
    return checksum
