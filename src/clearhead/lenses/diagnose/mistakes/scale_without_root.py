"""The scores are divided by d_head itself."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead

MISTAKES = (
    Mistake(
        name="scale-without-root",
        step="scaled",
        says="divides the scores by d_head, not by its root",
        seen="the root forgotten, or queries and keys both divided by it",
        mend="Divide by the square root of d_head, once.",
        changes={"scaled": instead(lambda run, scores: scores / run.d_head)},
    ),
)
