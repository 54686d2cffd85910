"""One softmax over all that there is."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead


def _whole(masked: np.ndarray) -> np.ndarray:
    if masked.shape[0] * masked.shape[1] == 1:
        raise ValueError("one matrix alone is all that there is")
    exponentials = np.exp(masked - masked.max())
    return np.asarray(exponentials / exponentials.sum())


MISTAKES = (
    Mistake(
        name="softmax-over-whole-array",
        step="weights",
        says="takes one softmax over all sentences, heads, queries and keys together, so that only the whole array "
        "adds up to 1",
        seen="scipy.special.softmax without an axis",
        mend="Take the softmax over the keys, the last axis of the scores.",
        changes={"weights": instead(lambda run, masked: _whole(masked))},
    ),
)
