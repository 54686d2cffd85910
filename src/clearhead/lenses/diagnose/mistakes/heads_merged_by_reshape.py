"""Heads are joined by a reshape without a transpose."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead

MISTAKES = (
    Mistake(
        name="heads-merged-by-reshape",
        step="joined",
        says="joins the heads with a reshape alone, so that a position gets pieces of several positions",
        seen="reshape(batch, positions, d_model) without the transpose back: the shape is right, and it trains",
        mend="Transpose heads and positions back before the reshape.",
        changes={"joined": instead(lambda run, mixed: mixed.reshape(mixed.shape[0], mixed.shape[2], -1))},
    ),
)
