"""Heads are cut by a reshape without a transpose."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead
from clearhead.lenses.diagnose.pipeline import Run


def _shape(run: Run, name: str, x: np.ndarray) -> tuple[int, ...]:
    batch, positions, width = x.shape  # with the heads apart already, this does not apply
    heads = run.case.spec.heads if name == "Q" else run.case.spec.kv_heads
    return batch, heads, positions, width // heads


MISTAKES = (
    Mistake(
        name="heads-split-by-reshape",
        step="Q",
        says="cuts the heads with a reshape alone, so that a head gets pieces of several positions",
        seen="view(batch, heads, positions, d_head) without a transpose: the shape is right, and it trains",
        mend="Reshape to (batch, positions, heads, d_head), then transpose positions and heads.",
        changes={name: instead(lambda run, x, name=name: x.reshape(_shape(run, name, x))) for name in "QKV"},
    ),
)
