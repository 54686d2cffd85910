"""Scores are cosines."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_inputs


def _unit(x: np.ndarray) -> np.ndarray:
    return np.asarray(x / np.linalg.norm(x, axis=-1, keepdims=True))


MISTAKES = (
    Mistake(
        name="cosine-scores",
        step="scores",
        says="divides queries and keys by their lengths, so that scores are cosines",
        seen="cosine similarity for a dot product",
        mend="Take the dot product as it is.",
        changes={"scores": on_inputs(lambda run, Q, K: (_unit(Q), _unit(K)))},
    ),
)
