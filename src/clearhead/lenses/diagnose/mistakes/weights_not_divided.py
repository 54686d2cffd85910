"""The exponentials are not divided by their sum."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead

MISTAKES = (
    Mistake(
        name="weights-not-divided",
        step="weights",
        says="takes e^score as a weight and does not divide by the sum of its row",
        seen="a softmax by hand without its second half",
        mend="Divide by the sum over the keys.",
        changes={"weights": instead(lambda run, masked: np.exp(masked))},
    ),
)
