"""One softmax over the whole matrix, or over all that there are."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead


def _all(masked: np.ndarray) -> np.ndarray:
    exponentials = np.exp(masked - masked.max(axis=(-2, -1), keepdims=True))
    return np.asarray(exponentials / exponentials.sum(axis=(-2, -1), keepdims=True))


def _whole(masked: np.ndarray) -> np.ndarray:
    if masked.shape[0] * masked.shape[1] == 1:
        raise ValueError("one matrix alone is all that there is")
    exponentials = np.exp(masked - masked.max())
    return np.asarray(exponentials / exponentials.sum())


MISTAKES = (
    Mistake(
        name="softmax-over-everything",
        step="weights",
        says="takes one softmax over all queries and keys, so that the whole matrix and not each row adds up to 1",
        seen="a sum over all of an array",
        mend="Take the softmax over the keys, the last axis of the scores, with the sum kept as an axis.",
        changes={"weights": instead(lambda run, masked: _all(masked))},
    ),
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
