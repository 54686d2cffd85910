"""A hidden score becomes huge."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, filled

MISTAKES = (
    Mistake(
        name="fill-positive",
        step="masked",
        says="gives hidden scores a huge positive number, so that a query looks at hidden keys alone",
        seen="1e9 for -1e9",
        mend="Fill with -inf.",
        changes={"masked": filled(lambda scores, seen: np.where(seen, scores, 1e9))},
    ),
)
