"""Frames: a JSON header and arrays as they lie in memory; and files that are whole or not there at all.

A frame is a uint32 (little-endian) length, that many bytes of JSON padded with spaces so that what follows starts at a
multiple of 8, and the buffers one after another, each padded to a multiple of 8. The same frame travels to the page
and, with a checksum at its end, is the content of a saved file.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ALIGNMENT = 8

LENGTH = struct.Struct("<I")
"""A frame begins with the length of its header."""

CHECKSUM = struct.Struct("<Q")
"""A saved frame ends with the CRC-32 of everything before it, so that no damage goes unseen."""

PART = ".part"
"""How the name of a file ends that is being written."""

Piece = bytes | memoryview


@dataclass(frozen=True)
class Form:
    """A kind of file: its name and version in the header, and how a sentence about it says what it is."""

    name: str
    version: int
    thing: str
    written_by: str


def frame(header: dict[str, Any], buffers: Sequence[np.ndarray]) -> bytes:
    """Header and buffers as one run of bytes."""
    return b"".join(frame_pieces(header, buffers))


def frame_pieces(header: dict[str, Any], buffers: Iterable[np.ndarray]) -> Iterator[Piece]:
    """The same, piece by piece, so that large arrays are not copied on their way to a file."""
    text = json.dumps(header, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    text += b" " * (-(4 + len(text)) % ALIGNMENT)
    yield LENGTH.pack(len(text)) + text
    for buffer in buffers:
        yield np.ascontiguousarray(buffer).reshape(-1).view(np.uint8).data
        yield bytes(-buffer.nbytes % ALIGNMENT)


def describe(buffers: Iterable[np.ndarray], start: int = 0) -> list[dict[str, Any]]:
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


def sealed(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces, and then their checksum."""
    checksum = 0
    for piece in pieces:
        checksum = zlib.crc32(piece, checksum)
        yield piece
    yield CHECKSUM.pack(checksum)


def read_header(raw: bytes, where: str, form: Form) -> tuple[dict[str, Any], int]:
    """The header of a frame of this form, and where what follows it starts; `where` names the file in messages.

    Raises:
        ValueError: it is no such frame, or one of a newer version.
    """
    try:
        (length,) = LENGTH.unpack_from(raw)
        header = json.loads(raw[4 : 4 + length])
        known = header["format"] == form.name and type(header["version"]) is int
    except (struct.error, ValueError, LookupError, TypeError, RecursionError):
        known = False
    if not known:
        raise ValueError(f"{where}: not a {form.thing}; expected a file written by {form.written_by}")
    if header["version"] > form.version:
        version = header["version"]
        raise ValueError(
            f"{where}: written by a newer Clearhead (format {version}); this one reads up to {form.version}"
        )
    return header, 4 + length


def unsealed(raw: bytes) -> memoryview:
    """What stands before the checksum, which must fit it.

    Raises:
        ValueError or struct.error: it does not, or there is none.
    """
    content, checksum = memoryview(raw)[: -CHECKSUM.size], raw[-CHECKSUM.size :]
    if CHECKSUM.unpack(checksum) != (zlib.crc32(content),):
        raise ValueError("its checksum does not fit")
    return content


def array_at(buffers: memoryview, entry: dict[str, Any], dtypes: Collection[str]) -> np.ndarray:
    """The array that an entry made by `describe` stands for; it cannot be written to.

    Raises:
        ValueError: the entry describes no array, or one outside the buffers.
        LookupError: a part of the entry is missing.
    """
    dtype, shape, offset, size = (entry[key] for key in ("dtype", "shape", "offset", "bytes"))
    if dtype not in dtypes or not all(
        type(number) is int and number >= 0 for number in (*shape, offset, size)
    ):
        raise ValueError(f"no array can be {entry!r}")
    return np.frombuffer(buffers[offset : offset + size], dtype).reshape(shape)


def write_whole(place: Path, pieces: Iterable[Piece], *, durable: bool = True) -> None:
    """Write a file beside its place, then move it there: a reader never sees half a file, not even after a power cut.

    A file that was there keeps its permissions, and stays as it was unless all of the new one could be written.

    Args:
        place: where.
        pieces: its content.
        durable: wait for the disk; without it, a power cut soon after may leave a damaged file, see `bring_to_disk`.

    Raises:
        OSError: the system's.
    """
    part = place.with_name(f".{place.name}.{os.getpid()}{PART}")
    try:
        with part.open("wb") as file:
            for piece in pieces:
                file.write(piece)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if place.exists():
            part.chmod(place.stat().st_mode)
        os.replace(part, place)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
    if durable:
        _sync_folder(place.parent)


def bring_to_disk(places: Iterable[Path]) -> None:
    """Wait until these files are on the disk.

    Raises:
        OSError: the system's.
    """
    for place in places:
        with place.open("r+b") as file:
            os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Bring the new name to the disk as well, on the systems that can; the file itself is there already."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
