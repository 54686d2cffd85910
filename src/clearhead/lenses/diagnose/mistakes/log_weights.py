"""log_softmax is taken for softmax."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_result

MISTAKES = (
    Mistake(
        name="log-weights",
        step="weights",
        says="takes the logarithms of the weights, all of them negative, as weights",
        seen="log_softmax for softmax",
        mend="Use softmax.",
        changes={"weights": on_result(lambda run, weights: np.log(weights))},
    ),
)
