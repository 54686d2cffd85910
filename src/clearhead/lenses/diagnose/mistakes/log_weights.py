"""log_softmax is taken for softmax."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead


def _logarithms(masked: np.ndarray) -> np.ndarray:
    below = masked - masked.max(axis=-1, keepdims=True)
    return np.asarray(below - np.log(np.exp(below).sum(axis=-1, keepdims=True)))


MISTAKES = (
    Mistake(
        name="log-weights",
        step="weights",
        says="takes the logarithms of the weights, all of them negative, as weights",
        seen="log_softmax for softmax",
        mend="Use softmax.",
        changes={"weights": instead(lambda run, masked: _logarithms(masked))},
    ),
)
