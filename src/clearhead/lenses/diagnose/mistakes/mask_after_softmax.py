"""The mask is put on after the softmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_result, visible
from clearhead.lenses.diagnose.pipeline import Do, Run


def _later(run: Run, do: Do, operation: Any, scores: np.ndarray, *allowed: np.ndarray) -> np.ndarray:
    """The mask is kept for later."""
    run.seen = visible(scores, *allowed)
    return scores


MISTAKES = (
    Mistake(
        name="mask-after-softmax",
        step="weights",
        says="puts the mask on after the softmax, so that rows add up to less than 1",
        seen="weights * mask, or masked_fill of the weights",
        mend="Mask the scores with -inf before the softmax.",
        changes={
            "masked": _later,
            "weights": on_result(lambda run, weights: weights if run.seen is None else weights * run.seen),
        },
    ),
)
