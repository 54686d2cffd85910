"""The softmax subtracts one number from all rows."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead


def _shares(exponentials: np.ndarray) -> np.ndarray:
    return np.asarray(exponentials / exponentials.sum(axis=-1, keepdims=True))


MISTAKES = (
    Mistake(
        name="largest-of-everything",
        step="weights",
        says="subtracts the largest score of the whole array from every row, so that rows far below it vanish to 0 / 0",
        seen="max() without an axis in a softmax by hand",
        mend="Subtract the largest score of each row, over the keys.",
        changes={"weights": instead(lambda run, masked: _shares(np.exp(masked - masked.max())))},
    ),
)
