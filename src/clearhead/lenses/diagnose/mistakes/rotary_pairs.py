"""Rotary pairs are interleaved instead of halves, or the reverse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake
from clearhead.lenses.diagnose.pipeline import Do, Run

OTHER = {"halves": "interleaved", "interleaved": "halves"}


def _otherwise(run: Run, do: Do, operation: Any, *inputs: np.ndarray) -> np.ndarray:
    return do(replace(operation, pairs=OTHER[operation.pairs]), *inputs)


MISTAKES = (
    Mistake(
        name="rotary-pairs",
        step="Q_rotated",
        says="pairs the features the other way before it turns them: interleaved for halves, or halves for interleaved",
        seen="weights of one convention with code of the other: position 0 is right, the error grows with distance",
        mend="Pair the features as the weights were trained: k with k + d_head/2 (GPT-NeoX, Llama in transformers), or "
        "2k with 2k + 1 (GPT-J, the original Llama).",
        changes={"Q_rotated": _otherwise, "K_rotated": _otherwise},
    ),
)
