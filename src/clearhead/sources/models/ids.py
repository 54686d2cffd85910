"""Token ids from whatever a person holds them in: a list, lists in a list, an array, a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from clearhead.sources.models.failing import CaptureError


def read_ids(given: Any, name: str, device: torch.device) -> torch.Tensor:
    """(sequences, positions) the ids, int64.

    Raises:
        CaptureError: they are no such ids; the message names the place.
    """
    _refuse_ragged(given, name)
    try:
        ids = torch.as_tensor(np.asarray(given) if isinstance(given, Sequence) else given)
    except (TypeError, ValueError, RuntimeError):
        raise CaptureError(
            f"{name}: expected a text, several texts, or whole numbers; got {_described(given)}"
        ) from None
    if ids.ndim == 1:
        ids = ids[None]
    if ids.ndim != 2 or not ids.numel():
        raise CaptureError(f"{name}: expected ids for at least one token, in one or two dimensions; "
                           f"got a shape of {tuple(ids.shape)}")  # fmt: skip
    if ids.is_floating_point() or ids.is_complex() or ids.dtype == torch.bool:
        raise CaptureError(
            f"{name}: expected whole numbers as ids, got {str(ids.dtype).removeprefix('torch.')}"
        )
    return ids.to(device, torch.int64)


def check_ids(ids: torch.Tensor, vocabulary: int | None, name: str) -> None:
    """Refuse ids that the model's table of words has no row for.

    Raises:
        CaptureError: names the first such id and its place.
    """
    wrong = (ids < 0) | (ids >= vocabulary if vocabulary is not None else False)
    if not bool(wrong.any()):
        return
    sequence, position = (int(number) for number in wrong.nonzero()[0])
    place = f"position {position}" + (f" of sequence {sequence}" if len(ids) > 1 else "")
    most = "" if vocabulary is None else f" to {vocabulary - 1}"
    raise CaptureError(
        f"{name}: {int(ids[sequence, position])} at {place} is no token of this model; expected 0{most}"
    )


def vocabulary_of(model: torch.nn.Module) -> int | None:
    """How many words the model's own table has, if it has one."""
    try:
        table = model.get_input_embeddings()  # type: ignore[operator]
    except (AttributeError, NotImplementedError, TypeError):
        return None
    return table.num_embeddings if isinstance(table, torch.nn.Embedding) else None


def _refuse_ragged(given: Any, name: str) -> None:
    if not isinstance(given, Sequence) or not given or not all(isinstance(row, Sequence) for row in given):
        return
    lengths = {len(row) for row in given}
    if len(lengths) > 1:
        raise CaptureError(
            f"{name}: sequences of {' and '.join(map(str, sorted(lengths)))} tokens; expected the same length for all, "
            "or texts, or inputs= with an attention_mask"
        )


def _described(given: Any) -> str:
    return (
        f"{type(given).__name__} of {type(given[0]).__name__}"
        if isinstance(given, list) and given
        else type(given).__name__
    )
