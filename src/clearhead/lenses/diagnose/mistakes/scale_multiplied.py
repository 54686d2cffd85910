"""The scores are multiplied by the root of d_head."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead

MISTAKES = (
    Mistake(
        name="scale-multiplied",
        step="scaled",
        says="multiplies the scores by the root of d_head, not divides",
        seen="an inverted scale: a factor of root(d_head) where 1 / root(d_head) was meant",
        mend="Divide by the square root of d_head, or multiply by d_head ** -0.5.",
        changes={"scaled": instead(lambda run, scores: scores * run.d_head**0.5)},
    ),
)
