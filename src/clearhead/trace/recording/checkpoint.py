"""One checkpoint: everything about one moment of a training, as the content of a file of its own."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearhead.trace.frames import (
    Form,
    Piece,
    array_at,
    describe,
    frame_pieces,
    read_header,
    sealed,
    unsealed,
)
from clearhead.trace.recording.failures import RecordingError

CHECKPOINT = Form("clearhead-checkpoint", 1, "checkpoint of a Clearhead recording", "Recording.save()")

DTYPES = (
    "float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool",
)  # fmt: skip
"""What a checkpoint can hold, and gives back bit for bit."""


@dataclass(frozen=True)
class Checkpoint:
    """A training after `step` updates.

    Attributes:
        step: how many updates were made.
        arrays: the named arrays, such as parameters. Those read from a file cannot be written to.
        losses: all losses so far, float64 (losses).
        state: whatever else is needed to go on, as JSON.
    """

    step: int
    arrays: Mapping[str, np.ndarray]
    losses: np.ndarray
    state: Any


def checkpoint_pieces(checkpoint: Checkpoint) -> Iterator[Piece]:
    """The checkpoint as a file's content, piece by piece.

    Raises:
        RecordingError: an array of a kind that cannot be held, or a state that is no JSON.
    """
    for name, array in checkpoint.arrays.items():
        if str(array.dtype) not in DTYPES:
            kinds = ", ".join(DTYPES)
            raise RecordingError(
                f"{name}: an array of {array.dtype} cannot be recorded; expected one of {kinds}"
            )
    buffers = [checkpoint.losses, *checkpoint.arrays.values()]
    header = {
        "format": CHECKPOINT.name, "version": CHECKPOINT.version, "step": checkpoint.step,
        "arrays": list(checkpoint.arrays), "state": checkpoint.state, "buffers": describe(buffers),
    }  # fmt: skip
    try:
        yield from sealed(frame_pieces(header, buffers))
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordingError(
            f"state: cannot be written as JSON ({error}); expected text, finite numbers, lists and dictionaries"
        ) from None


def parse_checkpoint(raw: bytes, where: str) -> Checkpoint:
    """A checkpoint from a file's content; `where` names the file in messages.

    Raises:
        RecordingError: it is no checkpoint, is damaged or cut short, or comes from a newer version.
    """
    try:
        header, start = read_header(raw, where, CHECKPOINT)
    except ValueError as error:
        raise RecordingError(str(error)) from None
    try:
        buffers = unsealed(raw)[start:]
        losses, *arrays = (array_at(buffers, entry, DTYPES) for entry in header["buffers"])
        named = dict(zip(header["arrays"], arrays, strict=True))
        return Checkpoint(header["step"], named, losses, header["state"])
    except (LookupError, TypeError, ValueError, struct.error) as error:
        raise RecordingError(f"{where}: the checkpoint is damaged or cut short ({error})") from None
