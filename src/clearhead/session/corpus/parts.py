"""The result of a unit in a file of its own, written whole or not at all, and checked when it is read."""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from clearhead.lenses.statistics import SCORES

UNFINISHED = ".unfinished"


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of the table: one for each sequence and head.

    Attributes:
        sequence: int64, the sequence's place in its unit.
        tokens: int64, queries that count, padding left out.
        tower: strings; "" for a model of one part.
        layer, head: int64.
        scores: (rows, scores) float64 in the order of `SCORES`; NaN where a score is not defined.
    """

    sequence: np.ndarray
    tokens: np.ndarray
    tower: np.ndarray
    layer: np.ndarray
    head: np.ndarray
    scores: np.ndarray

    @property
    def sequences(self) -> int:
        """How many sequences there are."""
        return int(self.sequence[-1]) + 1 if len(self.sequence) else 0

    @classmethod
    def of(cls, rows: Sequence[tuple[int, int, str, int, int, Sequence[float]]]) -> Rows:
        """From tuples of the fields."""
        sequence, tokens, tower, layer, head, scores = zip(*rows, strict=True) if rows else [()] * 6
        whole = [np.array(values, np.int64) for values in (sequence, tokens, layer, head)]
        table = np.array(scores, np.float64).reshape(len(rows), len(SCORES))
        return cls(whole[0], whole[1], np.array(tower, np.str_), whole[2], whole[3], table)


def place_of(folder: Path, name: str) -> Path:
    """Where the part of the unit of that name lies."""
    return folder / f"{name}.npz"


def write_part(folder: Path, name: str, rows: Rows) -> None:
    """Write a part. Whoever writes it again, even at the same time, puts the same in its place.

    Raises:
        OSError: it cannot be written; nothing of it is left then.
    """
    handle, path = tempfile.mkstemp(suffix=UNFINISHED, prefix=f"{name}.", dir=folder)
    unfinished = Path(path)
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, unit=np.array(name), **vars(rows))
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, place_of(folder, name))
    finally:
        unfinished.unlink(missing_ok=True)


def read_part(folder: Path, name: str) -> Rows | None:
    """The rows of a part; None where it is not there, or not whole: every array has a checksum, as in any zip."""
    try:
        with np.load(place_of(folder, name), allow_pickle=False) as kept:
            found = {key: kept[key] for key in kept.files}
        unit = str(found.pop("unit"))
        return Rows(**found) if unit == name else None
    except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def clear(folder: Path, names: Sequence[str]) -> None:
    """Take away these parts and what was left of writing them, and the folder if nothing else is in it."""
    for name in names:
        place_of(folder, name).unlink(missing_ok=True)
    ours = set(names)
    for left in folder.glob(f"*{UNFINISHED}"):
        if left.name.partition(".")[0] in ours:
            left.unlink(missing_ok=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
