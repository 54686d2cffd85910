"""The room on the disk that a store will need, said before the run starts."""

from __future__ import annotations

import shutil
from pathlib import Path

import torch

from clearhead.sources.models.failing import CaptureError
from clearhead.sources.models.foreseen import GIB, all_the_same
from clearhead.sources.models.inputs import Given
from clearhead.sources.models.stacks import Use, uses_of
from clearhead.sources.models.usable import dtype_of
from clearhead.trace.capture.store_folder import LAYERS

A_QUERY = 44
"""Bytes of a head's overview for each query: its log-sum-exp in 8 bytes, nine numbers in 4."""

A_BIN = 8
"""Bytes of a head's overview for each bin of its square: mean and largest, in 4 each."""


def foresee_room(model: torch.nn.Module, given: Given, generate: int, folder: str | Path, bins: int) -> None:
    """Refuse a run into a store that would need more room than the disk has. What is there already counts as room.

    Args:
        model: what is run.
        given: what it is given.
        generate: for how many tokens it goes on.
        folder: where the layers are written.
        bins: of the overviews; 0 for none.

    Raises:
        CaptureError: names what is needed and what is free.
    """
    uses = uses_of(getattr(model, "config", None), given, generate)
    sequences = max(len(given.tokens), len(given.decoder), 1)
    width = dtype_of(model).itemsize
    needed = sum(one.kept * width + one.stack.layers * _overviews(one, bins) for one in uses) * sequences
    place = Path(folder).expanduser().absolute()
    there = sum(path.stat().st_size for path in place.glob(LAYERS))
    above = next(one for one in (place, *place.parents) if one.is_dir())
    free = shutil.disk_usage(above).free
    if needed - there > free:
        raise CaptureError(
            f"{folder}: this store would need about {(needed - there) / GIB:.2f} GiB more on the disk, and "
            f"{free / GIB:.2f} GiB are free there; expected "
            f"{all_the_same('a shorter text', 'fewer sequences', 'another folder')}"
        )


def _overviews(use: Use, bins: int) -> int:
    """Bytes of the overviews of one layer's heads, of one sequence."""
    square = min(bins, use.queries) * min(bins, use.keys)
    return use.stack.heads * (A_QUERY * use.queries + A_BIN * square) if bins else 0
