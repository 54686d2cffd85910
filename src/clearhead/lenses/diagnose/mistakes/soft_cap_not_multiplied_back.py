"""The cap is not multiplied back."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead

MISTAKES = (
    Mistake(
        name="soft-cap-not-multiplied-back",
        step="soft_capped",
        says="bends the scores to stay within 1, not within the cap",
        seen="tanh(scores / cap) without the factor in front",
        mend="Multiply with the cap again: cap * tanh(scores / cap).",
        changes={"soft_capped": instead(lambda run, scores: np.tanh(scores / run.case.spec.soft_cap))},
    ),
)
