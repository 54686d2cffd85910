"""The softmax is taken twice."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead


def _softmax(scores: np.ndarray) -> np.ndarray:
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(axis=-1, keepdims=True))


MISTAKES = (
    Mistake(
        name="softmax-twice",
        step="weights",
        says="takes the softmax twice, which leaves nearly equal weights",
        seen="a softmax inside a function that already gets weights",
        mend="Take the softmax once.",
        changes={"weights": instead(lambda run, masked: _softmax(_softmax(masked)))},
    ),
)
