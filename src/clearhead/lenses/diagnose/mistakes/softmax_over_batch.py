"""The softmax runs over the batch."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, over

MISTAKES = (
    Mistake(
        name="softmax-over-batch",
        step="weights",
        says="takes the softmax over the batch, so that the sentences of a batch share what each should have",
        seen="dim=0",
        mend="Take the softmax over the keys, the last axis of the scores.",
        changes={"weights": over(-4)},
    ),
)
