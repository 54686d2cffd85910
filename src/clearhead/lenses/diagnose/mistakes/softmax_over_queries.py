"""The softmax runs over the queries."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, over

MISTAKES = (
    Mistake(
        name="softmax-over-queries",
        step="weights",
        says="takes the softmax down the columns, over the queries, so that columns and not rows add up to 1",
        seen="dim=-2 for dim=-1; such a model reached the same score as the right one",
        mend="Take the softmax over the keys, the last axis of the scores.",
        changes={"weights": over(-2)},
    ),
)
