"""The softmax subtracts one number from all rows."""

from __future__ import annotations

from functools import partial

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead
from clearhead.lenses.diagnose.pipeline import Run


def _less(run: Run, masked: np.ndarray, hidden: bool) -> np.ndarray:
    """The softmax less the largest score, of those that a mask hides as well or without them."""
    values = run.values
    every = values.get("biased", values.get("soft_capped", values["scaled"]))
    exponentials = np.exp(masked - (every if hidden else masked).max())
    return np.asarray(exponentials / exponentials.sum(axis=-1, keepdims=True))


MISTAKES = tuple(
    Mistake(
        name="largest-of-everything",
        step="weights",
        says="subtracts the largest score of the whole array from every row, so that rows far below it vanish to 0 / 0",
        seen="max() without an axis in a softmax by hand",
        mend="Subtract the largest score of each row, over the keys.",
        changes={"weights": instead(partial(_less, hidden=hidden))},
    )
    for hidden in (False, True)
)
