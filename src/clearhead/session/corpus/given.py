"""What a run is given, checked before anything starts."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from clearhead.session.corpus.failing import CorpusError, reason
from clearhead.session.corpus.files import TextFile, checked

PARTS = ".parts"
"""How the name of the folder ends in which a run keeps what is done."""

LEAST = 64
"""Bytes of a unit at least."""

Say = Callable[[str], None]


def check(length: int | None, batch_size: int, workers: int, threads: int, piece: int | None) -> None:
    """Refuse what is no count.

    Raises:
        CorpusError: names the one that is none.
    """
    given = {"length": length, "batch_size": batch_size, "workers": workers, "threads": threads}
    for name, value in given.items():
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise CorpusError(f"{name}: got {value!r}; expected a whole number from 1")
    if piece is not None and (not isinstance(piece, int) or piece < LEAST):
        raise CorpusError(f"piece: got {piece!r}; expected a whole number of bytes from {LEAST}")


def place_of_table(output: str | Path, files: Sequence[str | Path]) -> Path:
    """The whole path of the table, if it can be written."""
    if isinstance(files, str | Path) or not files:
        raise CorpusError("corpus: expected a list of text files, at least one")
    try:
        place = Path(output).expanduser().resolve()
        folder, taken, room = place.parent.is_dir(), place.is_dir(), os.access(place.parent, os.W_OK)
    except (OSError, ValueError, RuntimeError):
        folder, taken, room = False, False, False
    if not folder:
        raise CorpusError(
            f"{output}: there is no such folder; expected the path of a file in one that is there"
        )
    if taken:
        raise CorpusError(f"{output}: is a folder; expected the path of a file")
    if not room or (place.exists() and not os.access(place, os.W_OK)):
        raise CorpusError(f"{output}: cannot be written (permission denied); expected another place")
    if place in {Path(name).expanduser().resolve() for name in files}:
        raise CorpusError(f"{output}: is a file of the corpus; expected another name for the table")
    return place


def folder_of(place: Path) -> Path:
    """The folder of the parts, made if it is not there."""
    folder = place.with_name(place.name + PARTS)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise CorpusError(
            f"{folder}: cannot be made ({reason(error)}); expected room for the parts"
        ) from None
    return folder


def files_of(
    names: Sequence[str | Path], size: int, skip: bool, left_out: list[str], say: Say
) -> list[TextFile]:
    """All files, checked before anything starts."""
    found: dict[str, TextFile] = {}
    for name in names:
        try:
            file = checked(name, size)
        except CorpusError as error:
            if not skip:
                raise
            say(f"left out: {error}")
            left_out.append(str(name))
            continue
        if file.path in found:
            raise CorpusError(f"{file.name}: is given twice; expected every file once")
        found[file.path] = file
    if not found:
        raise CorpusError("corpus: no file is left; expected at least one that can be read")
    return list(found.values())
