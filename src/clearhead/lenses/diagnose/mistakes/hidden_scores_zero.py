"""A hidden score becomes 0."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, filled

MISTAKES = (
    Mistake(
        name="hidden-scores-zero",
        step="masked",
        says="gives a hidden score the number 0, not -inf, and e^0 = 1 still counts",
        seen="scores * mask; a fill of -1e-9, or of the smallest positive number, where -1e9 or the most negative number was meant",
        mend="Fill with -inf.",
        changes={"masked": filled(lambda scores, seen: np.where(seen, scores, 0.0))},
    ),
)
