"""The softmax runs over the heads."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, over

MISTAKES = (
    Mistake(
        name="softmax-over-heads",
        step="weights",
        says="takes the softmax over the heads, so that the heads of one cell add up to 1",
        seen="dim=1 of (batch, heads, queries, keys), which an implicit dim also takes in three dimensions",
        mend="Take the softmax over the keys, the last axis of the scores.",
        changes={"weights": over(-3)},
    ),
)
