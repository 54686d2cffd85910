"""The scores are divided by the root of the number of heads."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead

MISTAKES = (
    Mistake(
        name="scale-by-heads",
        step="scaled",
        says="divides the scores by the root of the number of heads, not of d_head",
        seen="the wrong axis of a shape",
        mend="Take the width of a query, q.shape[-1].",
        changes={"scaled": instead(lambda run, scores: scores / run.case.spec.heads**0.5)},
    ),
)
