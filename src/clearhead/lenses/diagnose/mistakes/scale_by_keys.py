"""The scores are divided by the root of the number of keys."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead

MISTAKES = (
    Mistake(
        name="scale-by-keys",
        step="scaled",
        says="divides the scores by the root of the number of keys, not of d_head",
        seen="the wrong axis of a shape: k.shape[-2] for k.shape[-1]",
        mend="Take the width of a query, q.shape[-1].",
        changes={"scaled": instead(lambda run, scores: scores / scores.shape[-1] ** 0.5)},
    ),
)
