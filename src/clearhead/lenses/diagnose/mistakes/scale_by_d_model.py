"""The scores are divided by the root of d_model instead of d_head."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead

MISTAKES = (
    Mistake(
        name="scale-by-d-model",
        step="scaled",
        says="divides the scores by the root of all heads' widths together, not by the root of one head's",
        seen="the embedding's width taken for the head's, right with one head and wrong with several",
        mend="Divide by the square root of d_head = d_model / heads.",
        changes={"scaled": instead(lambda run, scores: scores / (run.case.spec.heads * run.d_head) ** 0.5)},
    ),
)
