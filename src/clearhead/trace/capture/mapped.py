"""The arrays of a file where they lie: read when they are asked for, each compared with its checksum the first time."""

from __future__ import annotations

import mmap
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from clearhead.trace.capture.failing import CaptureError
from clearhead.trace.capture.held import Held, Widened
from clearhead.trace.capture.tensors import CHECKSUM, CHECKSUMS, LYING, NAMES, PIECE, Table, check

FORMATS = {form: name for name, form in NAMES.items()}


class Mapped(Mapping[str, Held]):
    """The arrays of a file by name. Each is the same object every time, so that arrays which were one stay one."""

    def __init__(self, path: Path, table: Table, start: int, where: str) -> None:
        """Map the file `path`, which messages call `where`.

        Raises:
            ValueError, LookupError or TypeError: the arrays do not fill it from `start` on as the table says.
        """
        file = _File(path, where)
        check(table, file.size - start)
        self._arrays: dict[str, Held] = {}
        sums = table[CHECKSUMS]["data_offsets"][0] + start
        self.checksums = file.bytes[sums:].tobytes()
        """What the file says are the checksums of its arrays."""
        for place, (name, entry) in enumerate(table.items()):
            if name == CHECKSUMS:
                continue
            begin, end = (start + offset for offset in entry["data_offsets"])
            lying = Lying(file, name, entry, (begin, end), sums + place * CHECKSUM.itemsize)
            self._arrays[name] = Widened(lying) if entry["dtype"] == "BF16" else lying

    def __getitem__(self, name: str) -> Held:
        """The array; nothing of it is read yet."""
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)


class Lying:
    """An array in a file. What is read of it is a copy, which stays whatever becomes of the file.

    Attributes:
        shape: the size of each axis.
        dtype: the name of its numbers' format.
    """

    def __init__(
        self, file: _File, name: str, entry: Mapping[str, Any], span: tuple[int, int], checksum: int
    ) -> None:
        self.shape = tuple(entry["shape"])
        self.dtype = FORMATS[entry["dtype"]]
        self._file, self._name, self._span, self._checksum = file, name, span, checksum
        self._form = LYING[entry["dtype"]]
        self._whole = False

    def __getitem__(self, index: Any, /) -> np.ndarray:
        """A part of it.

        Raises:
            CaptureError: the array is damaged, or the file has changed its size since it was opened.
        """
        self._file.check()
        if not self._whole:
            self._file.compare(self._name, self._span, self._checksum)
            self._whole = True
        begin, end = self._span
        return np.array(self._file.bytes[begin:end].view(self._form).reshape(self.shape)[index])


class _File:
    """A file mapped into memory. To read beyond its end would end the process, so its size is looked at before."""

    def __init__(self, path: Path, where: str) -> None:
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.bytes = np.frombuffer(self._map, dtype=np.uint8)
        self.size = len(self._map)
        self._where = where

    def check(self) -> None:
        """The file is as long as it was; the one that was opened, should another have taken its name."""
        size = self._map.size()
        if size != self.size:
            raise CaptureError(
                f"{self._where}: the file has {size} bytes now, and had {self.size} when it was opened; "
                "expected a file that stays as it is while it is used"
            )

    def compare(self, name: str, span: tuple[int, int], checksum: int) -> None:
        """The checksum of an array is the one that the file has at this place."""
        found, (begin, end) = 0, span
        for first in range(begin, end, PIECE):
            self.check()
            found = zlib.crc32(self.bytes[first : min(first + PIECE, end)].data, found)
        if found != self.bytes[checksum : checksum + CHECKSUM.itemsize].view(CHECKSUM)[0]:
            raise CaptureError(f"{self._where}: the array {name} is damaged (its checksum does not fit)")
