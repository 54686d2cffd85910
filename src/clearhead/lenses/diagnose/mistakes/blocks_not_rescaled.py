"""Attention in blocks of keys keeps what it has added up so far when a later block has a larger score."""

from __future__ import annotations

from functools import partial

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead
from clearhead.lenses.diagnose.pipeline import Run

BLOCKS = (1, 2, 4, 16, 32, 64, 128)
"""How many keys are taken at once."""


def _shares(run: Run, masked: np.ndarray, *, block: int, sums_right: bool) -> np.ndarray:
    """Each block's exponentials have the largest score so far below them, and stay so."""
    starts = np.arange(0, masked.shape[-1], block)
    so_far = np.maximum.accumulate(np.maximum.reduceat(masked, starts, axis=-1), axis=-1)
    so_far = np.where(np.isneginf(so_far), 0.0, so_far)
    below = np.repeat(so_far, block, axis=-1)[..., : masked.shape[-1]]
    exponentials = np.exp(masked - below)
    summed = np.exp(masked - so_far[..., -1:]) if sums_right else exponentials
    total = summed.sum(axis=-1, keepdims=True)
    return np.divide(
        exponentials, total, out=np.zeros_like(exponentials), where=total > 0
    )  # 0: a row sees nothing


def _mistake(block: int, sums_right: bool) -> Mistake:
    size = "one key at a time" if block == 1 else f"blocks of {block} keys"
    what = "the blended values" if sums_right else "the blended values and the sum of exponentials"
    return Mistake(
        name="blocks-not-rescaled",
        step="weights",
        says=f"goes through {size} and does not scale {what} down when a later score is larger",
        seen="an online softmax, as in FlashAttention, without the factor e^(old largest - new largest)",
        mend="Multiply the sum and the blended values so far by e^(old largest - new largest) in every step.",
        changes={"weights": instead(partial(_shares, block=block, sums_right=sums_right))},
    )


MISTAKES = tuple(_mistake(block, sums_right) for sums_right in (False, True) for block in BLOCKS)
