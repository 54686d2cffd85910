"""The text files of a corpus: checked before anything starts, and cut into pieces of bytes. None is ever held whole."""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from clearhead.session.corpus.failing import CorpusError, reason

BOM = codecs.BOM_UTF8
"""What some programs write before the first character; it belongs to no text."""

LATE = 4
"""A piece may end early, after a line or a word, by this part of its size at most."""


@dataclass(frozen=True)
class Piece:
    """Some bytes of a file, a text by themselves.

    Attributes:
        start, stop: the first byte and the one after the last.
        digest: of these bytes, so that a file that has changed since is noticed.
    """

    start: int
    stop: int
    digest: str


@dataclass(frozen=True)
class TextFile:
    """A file that was read once, and is text.

    Attributes:
        name: as the person wrote it.
        path: the whole path.
        digest: of all its bytes.
        pieces: what it is cut into, in order.
    """

    name: str
    path: str
    digest: str
    pieces: tuple[Piece, ...]


def checked(name: str | Path, size: int) -> TextFile:
    """A file cut into pieces of about `size` bytes, each ending after a line or a word where there is one.

    Raises:
        CorpusError: it cannot be read, is no text in UTF-8, or holds nothing; the message names it.
    """
    title, path = str(name), Path(name).expanduser()
    try:
        if path.is_dir():
            raise CorpusError(f"{title}: is a folder; expected a text file")
        with path.open("rb") as file:
            return _cut(title, str(path.resolve()), file, size)
    except FileNotFoundError:
        raise CorpusError(f"{title}: there is no such file; expected the path of a text file") from None
    except OSError as error:
        raise CorpusError(f"{title}: cannot be read ({reason(error)}); expected a text file") from None


def read_piece(file: TextFile, piece: Piece) -> str:
    """The text of a piece, its line ends as Python reads them.

    Raises:
        CorpusError: the file is not there any more, or is not what was checked.
    """
    try:
        with open(file.path, "rb") as opened:
            opened.seek(piece.start)
            raw = opened.read(piece.stop - piece.start)
    except OSError as error:
        raise CorpusError(f"{file.name}: cannot be read any more ({reason(error)})") from None
    if digest(raw) != piece.digest:
        raise CorpusError(
            f"{file.name}: has changed since it was checked; expected a file that stays as it is"
        )
    return raw.decode().replace("\r\n", "\n").replace("\r", "\n")


def digest(raw: bytes) -> str:
    """What tells these bytes from all others."""
    return hashlib.blake2b(raw, digest_size=20).hexdigest()


def _cut(title: str, path: str, file: BinaryIO, size: int) -> TextFile:
    whole, pieces, empty = hashlib.blake2b(digest_size=20), [], True
    for start, raw in _pieces(file, size):
        if (zero := raw.find(b"\0")) >= 0:
            raise CorpusError(f"{title}: byte {start + zero} is 0, so it is no text; expected a text file")
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            raise CorpusError(
                f"{title}: is not text in UTF-8 (byte {start + error.start}); expected a text file"
            ) from None
        empty = empty and not text.strip()
        whole.update(raw)
        pieces.append(Piece(start, start + len(raw), digest(raw)))
    if empty:
        raise CorpusError(f"{title}: is empty; expected text")
    return TextFile(title, path, whole.hexdigest(), tuple(pieces))


def _pieces(file: BinaryIO, size: int) -> Iterator[tuple[int, bytes]]:
    """(start, bytes) of each piece; never more than two pieces are held."""
    start, kept = 0, file.read(len(BOM))
    if kept == BOM:
        start, kept = len(BOM), b""
    while True:
        kept += file.read(size - len(kept))
        if len(kept) < size:  # the end of the file
            if kept:
                yield start, kept
            return
        end = _end(kept)
        yield start, kept[:end]
        start, kept = start + end, kept[end:]


def _end(raw: bytes) -> int:
    """Where to cut: after the last line, else before the last space, which belongs to its word, else anywhere."""
    early = len(raw) - len(raw) // LATE
    for mark, after in ((b"\n", 1), (b" ", 0)):
        if (found := raw.rfind(mark, early)) >= 0:
            return found + after
    end = len(raw)
    while end > len(raw) - 4 and raw[end - 1] & 0xC0 == 0x80:  # the later bytes of a character
        end -= 1
    # What stands before `end` is the first byte of the last character, which may lack some.
    return end - 1 if end > 1 and raw[end - 1] >= 0xC0 else len(raw)
