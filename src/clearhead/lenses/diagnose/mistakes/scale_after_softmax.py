"""The scale is applied after the softmax."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_result, skip

MISTAKES = (
    Mistake(
        name="scale-after-softmax",
        step="scaled",
        says="divides the weights by the root of d_head, after the softmax, not the scores before it",
        seen="a division in the wrong line: the rows add up to 1 / root(d_head)",
        mend="Move the division before the softmax.",
        changes={"scaled": skip, "weights": on_result(lambda run, weights: weights / run.d_head**0.5)},
    ),
)
