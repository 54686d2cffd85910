"""The scores are divided by the root of d_model instead of d_head."""

from __future__ import annotations

from collections.abc import Callable

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead
from clearhead.lenses.diagnose.pipeline import Run


def _mistake(width: Callable[[Run], int]) -> Mistake:
    return Mistake(
        name="scale-by-d-model",
        step="scaled",
        says="divides the scores by the root of all heads' widths together, not by the root of one head's",
        seen="the embedding's width taken for the head's, right with one head and wrong with several",
        mend="Divide by the square root of d_head = d_model / heads.",
        changes={"scaled": instead(lambda run, scores: scores / width(run) ** 0.5)},
    )


MISTAKES = (
    _mistake(lambda run: run.case.spec.heads * run.d_head),
    _mistake(lambda run: run.case.given["X"].shape[-1]),  # the same where d_model = heads * d_head
)
