"""The scale is 0."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead

MISTAKES = (
    Mistake(
        name="scale-zero",
        step="scaled",
        says="multiplies the scores by 0, so that every key gets the same weight",
        seen="a scale left at 0: an integer division such as 1 // root(d_head), or a parameter that was never set",
        mend="Give the scale its value, d_head ** -0.5.",
        changes={"scaled": instead(lambda run, scores: np.where(np.isnan(scores), scores, 0.0))},
    ),
)
