"""The keys are reshaped, not transposed."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead

MISTAKES = (
    Mistake(
        name="keys-reshaped",
        step="scores",
        says="reshapes the keys to (d_head, keys) instead of transposing them, which mixes positions with features",
        seen="view or reshape for transpose",
        mend="Transpose the last two axes of the keys.",
        changes={"scores": instead(lambda run, Q, K: Q @ K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2]))},
    ),
)
