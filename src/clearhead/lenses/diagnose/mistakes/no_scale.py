"""The scores are not divided by the root of d_head."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, skip

MISTAKES = (
    Mistake(
        name="no-scale",
        step="scaled",
        says="leaves the scores undivided",
        seen="d_head forgotten when the formula was copied; a scale argument that is never used",
        mend="Divide Q K^T by the square root of d_head, the width of one query, before the mask and the softmax.",
        changes={"scaled": skip},
    ),
)
