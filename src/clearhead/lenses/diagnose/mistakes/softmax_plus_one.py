"""One is added below the fraction line."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead


def _shares(masked: np.ndarray) -> np.ndarray:
    largest = np.maximum(masked.max(axis=-1, keepdims=True), 0.0)
    exponentials = np.exp(masked - largest)
    return np.asarray(exponentials / (exponentials.sum(axis=-1, keepdims=True) + np.exp(-largest)))


MISTAKES = (
    Mistake(
        name="softmax-plus-one",
        step="weights",
        says="divides by one more than the sum of the row, so that rows add up to less than 1",
        seen="an implicit sink of score 0 that the other model lacks; a 1 added against division by zero",
        mend="Divide by the sum alone, or check against a reference that has the sink.",
        changes={"weights": instead(lambda run, masked: _shares(masked))},
    ),
)
