"""Heads and positions change places."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_result

MISTAKES = (
    Mistake(
        name="attends-over-heads",
        step="scores",
        says="compares the heads of one position with each other, not the positions of one head",
        seen="the transpose left out: (batch, positions, heads, d_head) taken for (batch, heads, positions, d_head)",
        mend="Transpose positions and heads before the scores, and back after the blend.",
        changes={name: on_result(lambda run, x: x.swapaxes(1, 2)) for name in ("Q", "K", "V", "mixed")},
    ),
)
