"""Each score goes through a sigmoid."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead

MISTAKES = (
    Mistake(
        name="sigmoid",
        step="weights",
        says="takes 1 / (1 + e^-score) of every cell by itself, so that rows do not add up to 1",
        seen="sigmoid for softmax",
        mend="Take the softmax over the keys.",
        changes={"weights": instead(lambda run, masked: 1 / (1 + np.exp(-masked)))},
    ),
)
