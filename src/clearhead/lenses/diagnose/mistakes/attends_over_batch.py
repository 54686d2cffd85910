"""Sentences and positions change places."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearhead.core.masks import mask_named
from clearhead.lenses.diagnose.mistakes.base import Mistake, on_result
from clearhead.lenses.diagnose.pipeline import Do, Run


def _masked(run: Run, do: Do, operation: Any, scores: np.ndarray, *allowed: np.ndarray) -> np.ndarray:
    """It makes its mask for as many positions as it believes there are; one that is handed over has others."""
    if not allowed:
        return do(operation, scores)
    if run.case.allowed is not None or run.case.padding is not None:
        raise ValueError("a mask of (queries, keys) where there are sentences")
    return do(operation, scores, mask_named(run.case.spec.mask).table(*scores.shape[-2:]))


MISTAKES = (
    Mistake(
        name="attends-over-batch",
        step="scores",
        says="compares the sentences of a batch with each other, position by position, not the positions of a sentence",
        seen="batch_first=True forgotten: nn.MultiheadAttention takes (positions, batch, D) without it",
        mend="Set batch_first=True, or hand x over as (positions, batch, D).",
        changes={
            **{name: on_result(lambda run, x: x.swapaxes(0, 2)) for name in ("Q", "K", "V", "mixed")},
            "masked": _masked,
        },
    ),
)
