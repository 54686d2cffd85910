"""A hidden score becomes 0."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, filled

MISTAKES = (
    Mistake(
        name="hidden-scores-zero",
        step="masked",
        says="gives hidden scores 0, not -inf, so that each still counts as e^0 = 1",
        seen="scores * mask; a fill of -1e-9, or of the smallest positive number, for -1e9 or the most negative one",
        mend="Fill with -inf.",
        changes={"masked": filled(lambda scores, seen: np.where(seen, scores, 0.0))},
    ),
)
