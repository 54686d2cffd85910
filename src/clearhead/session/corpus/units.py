"""Units of work: a piece of a file under some settings. What a unit's result is called follows from what it is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clearhead.session.corpus.files import Piece, TextFile

LAYOUT = 1
"""Counts the forms of a part: another one is another name."""


@dataclass(frozen=True)
class Order:
    """How a worker loads the model; see `clearhead.load_model`."""

    name: str
    revision: str | None = None
    remote_code: bool = False
    device: str | None = None
    dtype: str | None = None


@dataclass(frozen=True)
class Settings:
    """All that the numbers of a unit depend on beside its text.

    Attributes:
        model: the digest of the model and its tokenizer.
        length: tokens of a sequence at most, marks included.
        batch: sequences that go through the model together at most.
        threads: that the model runs on. Sums are added in another order on more, and round otherwise.
        versions: of what computes, by name.
    """

    model: str
    length: int
    batch: int
    threads: int
    versions: tuple[tuple[str, str], ...]

    def as_data(self) -> dict[str, Any]:
        """The same as what JSON can hold."""
        return {
            "model": self.model, "length": self.length, "batch": self.batch, "threads": self.threads,
            "versions": dict(self.versions), "layout": LAYOUT,
        }  # fmt: skip


@dataclass(frozen=True)
class Unit:
    """A piece of a file, and under which name its result is kept.

    Attributes:
        file: which file, without its other pieces.
        piece: which of its bytes.
        name: determined by the file's digest, the range of bytes and the settings, and by nothing else.
    """

    file: TextFile
    piece: Piece
    name: str

    def __str__(self) -> str:
        return f"{self.file.name}, bytes {self.piece.start} to {self.piece.stop}"


def units_of(files: Iterable[TextFile], settings: Settings) -> Iterator[Unit]:
    """The units of some files, in order."""
    for file in files:
        alone = TextFile(file.name, file.path, file.digest, ())
        for piece in file.pieces:
            yield Unit(alone, piece, _name(file, piece, settings.as_data()))


def _name(file: TextFile, piece: Piece, settings: Mapping[str, Any]) -> str:
    said = json.dumps([file.digest, piece.start, piece.stop, settings], sort_keys=True)
    return hashlib.blake2b(said.encode(), digest_size=20).hexdigest()
