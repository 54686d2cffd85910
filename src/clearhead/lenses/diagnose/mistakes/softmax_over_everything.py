"""One softmax over the whole matrix."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead


def _all(masked: np.ndarray) -> np.ndarray:
    exponentials = np.exp(masked - masked.max(axis=(-2, -1), keepdims=True))
    return np.asarray(exponentials / exponentials.sum(axis=(-2, -1), keepdims=True))


MISTAKES = (
    Mistake(
        name="softmax-over-everything",
        step="weights",
        says="takes one softmax over all queries and keys, so that the whole matrix and not each row adds up to 1",
        seen="a sum over all of an array",
        mend="Take the softmax over the keys, the last axis of the scores, with the sum kept as an axis.",
        changes={"weights": instead(lambda run, masked: _all(masked))},
    ),
)
