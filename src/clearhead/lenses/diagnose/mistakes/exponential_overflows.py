"""The softmax does not subtract the largest score."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead

MISTAKES = (
    Mistake(
        name="exponential-overflows",
        step="weights",
        says="exponentiates large scores as they are, which overflows to infinity and gives NaN",
        seen="a softmax by hand that does not subtract the largest score of the row first",
        mend="Subtract the largest score of each row before exponentiating; it cancels in the fraction.",
        changes={
            "weights": instead(
                lambda run, masked: np.exp(masked) / np.exp(masked).sum(axis=-1, keepdims=True)
            )
        },
    ),
)
