"""All heads blend with the mean of their weights."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_result


def _averaged(weights: np.ndarray) -> np.ndarray:
    return np.broadcast_to(weights.mean(axis=1, keepdims=True), weights.shape)


MISTAKES = (
    Mistake(
        name="weights-averaged-over-heads",
        step="weights",
        says="blends in every head with the mean of all heads' weights",
        seen="weights that were averaged to be looked at, as average_attn_weights does, and then used",
        mend="Blend in each head with its own weights; average only what is shown.",
        changes={"weights": on_result(lambda run, weights: _averaged(weights))},
    ),
)
