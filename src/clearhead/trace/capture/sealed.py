"""What a file says of itself: a description in the header's table of strings, with a checksum that covers both."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clearhead.trace.capture import tensors
from clearhead.trace.capture.failing import CaptureError


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes:
        key: the string of the file that is the description: {"version", "checksum", "capture"}, as JSON.
        version: the newest that is read.
        thing: what it is, for messages.
    """

    key: str
    version: int
    thing: str

    @property
    def beginning(self) -> bytes:
        """How the header begins, by which a file is known of which even the header is cut short."""
        return f'{{"{tensors.METADATA}":{{"{self.key}":'.encode()

    @property
    def nothing(self) -> str:
        """What is said of a description that is none."""
        return f"its description is not that of a {self.thing}"

    def sealed(self, facts: Mapping[str, Any], table: tensors.Table) -> dict[str, str]:
        """The file's table of strings.

        Raises:
            TypeError or ValueError: the facts are no JSON-able data.
        """
        told = {"version": self.version, "checksum": checksum(facts, table), "capture": facts}
        return {self.key: json.dumps(told, ensure_ascii=False, allow_nan=False, separators=(",", ":"))}

    def unsealed(self, text: Any, table: tensors.Table, where: str) -> Any:
        """The facts that `sealed` wrote.

        Raises:
            CaptureError: they are of a newer version.
            ValueError: they are none, or not as they were written.
        """
        try:
            described = json.loads(text)
        except (TypeError, ValueError, RecursionError):
            described = None
        version = described.get("version") if isinstance(described, dict) else None
        if type(version) is not int or version < 1:
            raise ValueError(self.nothing)
        if version > self.version:
            newer = f"written by a newer Clearhead (format {version}); this one reads up to {self.version}"
            raise CaptureError(f"{where}: {newer}")
        if described.get("checksum") != checksum(described.get("capture"), table):
            raise ValueError("the checksum of its header does not fit")
        return described["capture"]

    def begins(self, place: Path) -> bool:
        """Whether a file begins as these do.

        Raises:
            OSError: it cannot be read.
        """
        with place.open("rb") as file:
            return file.read(tensors.LENGTH.size + len(self.beginning)).endswith(self.beginning)


def checksum(facts: Any, table: tensors.Table) -> int:
    """CRC-32 of the description and of where the arrays lie."""
    return zlib.crc32(json.dumps([facts, table], separators=(",", ":"), sort_keys=True).encode())
