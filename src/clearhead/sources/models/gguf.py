"""GGUF files: what stands in their head, and each converted once so that it opens fast afterwards.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. transformers reads such files, but goes through
the vocabulary and unpacks the weights again at each start; so the model as it came out is kept as safetensors.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

MAGIC = b"GGUF"
VERSIONS = (2, 3)
STRING, ARRAY = 8, 9
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""The types of values, as `struct` writes them."""

TENSOR_TYPES = {
    0: ("F32", 1, 4), 1: ("F16", 1, 2), 2: ("Q4_0", 32, 18), 3: ("Q4_1", 32, 20), 6: ("Q5_0", 32, 22),
    7: ("Q5_1", 32, 24), 8: ("Q8_0", 32, 34), 10: ("Q2_K", 256, 84), 11: ("Q3_K", 256, 110),
    12: ("Q4_K", 256, 144), 13: ("Q5_K", 256, 176), 14: ("Q6_K", 256, 210), 15: ("Q8_K", 256, 292),
    28: ("F64", 1, 8), 30: ("BF16", 1, 2),
}  # fmt: skip
"""The types of tensors: name, how many numbers a block has, and how many bytes it takes. The rarer ones are not here;
they are named by their number, and their size is not checked."""

PART = ".part"
"""How the name of a folder ends that is being written."""

DAY = 86_400.0
"""A folder that has been written for longer than this, in seconds, was left behind."""


@dataclass(frozen=True)
class Head:
    """What the head of a GGUF file says.

    Attributes:
        architecture: such as "llama".
        shards: of how many files this is one.
        types: in which types the tensors are stored, the one with most numbers first.
    """

    architecture: str
    shards: int
    types: tuple[str, ...]


def read_head(path: Path) -> Head:
    """The head of a GGUF file, with a check that the tensors it speaks of are there.

    Raises:
        ValueError: it is no GGUF file, of an unknown version, or cut short; the sentence goes on after a name.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        if file.read(4) != MAGIC:
            raise ValueError("is no GGUF file; expected one that begins with the letters GGUF")
        try:
            return _head(file, path.stat().st_size)
        except (struct.error, UnicodeDecodeError, KeyError, MemoryError, OverflowError):
            raise ValueError(
                "is cut short or damaged: its head cannot be read; expected the whole file"
            ) from None


def _head(file: BinaryIO, size: int) -> Head:
    (version,) = _numbers(file, "I")
    if version not in VERSIONS:
        raise ValueError(f"is a GGUF file of version {version}; expected version 2 or 3")
    tensors, entries = _numbers(file, "QQ")
    values = {}
    for _ in range(entries):
        key = _string(file)
        values[key] = _value(file, _numbers(file, "I")[0])
    stored: Counter[str] = Counter()
    needed = 0  # bytes, from where the tensors begin
    for _ in range(tensors):
        _string(file)
        (axes,) = _numbers(file, "I")
        shape = _numbers(file, f"{axes}Q")
        kind, offset = _numbers(file, "IQ")
        count = 1
        for extent in shape:
            count *= extent
        name, block, size_of_block = TENSOR_TYPES.get(kind, (f"type {kind}", count, 0))
        stored[name] += count
        needed = max(needed, offset + (count // block * size_of_block if count else 0))
    alignment = values.get("general.alignment", 32)
    start = file.tell() + -file.tell() % (alignment if isinstance(alignment, int) and alignment > 0 else 32)
    if start + needed > size:
        raise ValueError(f"is cut short: it has {size:,} bytes; expected {start + needed:,}")
    shards = values.get("split.count", 1)
    return Head(
        str(values["general.architecture"]),
        shards if isinstance(shards, int) else 1,
        tuple(name for name, _ in stored.most_common()),
    )


def _numbers(file: BinaryIO, form: str) -> tuple[int, ...]:
    form = f"<{form}"
    return struct.unpack(form, file.read(struct.calcsize(form)))


def _string(file: BinaryIO) -> str:
    (length,) = _numbers(file, "Q")
    raw = file.read(length)
    if len(raw) < length:
        raise struct.error("the file ends within a string")
    return raw.decode("utf-8", "replace")


def _value(file: BinaryIO, kind: int) -> object:
    """A value; of arrays, which are vocabularies, only that they were passed over."""
    if kind == STRING:
        return _string(file)
    if kind != ARRAY:
        return _numbers(file, SCALARS[kind])[0]
    inner, count = _numbers(file, "IQ")
    if inner in SCALARS:
        file.seek(struct.calcsize(f"<{SCALARS[inner]}") * count, os.SEEK_CUR)
    else:
        for _ in range(count):
            _value(file, inner)
    return None


def cache_folder() -> Path:
    """Where converted models are kept: $CLEARHEAD_CACHE, else clearhead in the person's cache folder."""
    own = os.environ.get("CLEARHEAD_CACHE")
    if own:
        return Path(own).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "clearhead"


def digest(path: Path) -> str:
    """What the file's content comes to, so that a copy under another name is known and a change noticed."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_folder(place: Path, write: Callable[[Path], None]) -> None:
    """Have a folder written beside its place, then move it there: a reader never sees half of it.

    If another process was faster, its folder stays. What an interruption leaves is removed, if not now then by a
    later call.

    Raises:
        OSError: the system's.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    _sweep(place.parent)
    part = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name}.", suffix=PART))
    try:
        write(part)
        for file in part.iterdir():
            with file.open("rb") as written:
                os.fsync(written.fileno())
        try:
            part.rename(place)
        except OSError:
            if not place.is_dir():
                raise
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _sweep(folder: Path) -> None:
    """Remove what was left behind by processes that were killed."""
    for left in folder.glob(f".*{PART}"):
        with suppress(OSError):
            if left.stat().st_mtime < time.time() - DAY:
                shutil.rmtree(left)
