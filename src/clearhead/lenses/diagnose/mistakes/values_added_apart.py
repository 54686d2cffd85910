"""Weights and values are added up apart from each other."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead

MISTAKES = (
    Mistake(
        name="values-added-apart",
        step="mixed",
        says="adds up the weights of a row and all values, each by itself, so that every value counts alike",
        seen="two letters for the keys in an einsum: bhqk,bhjd->bhqd",
        mend="One letter for the keys in both: bhqk,bhkd->bhqd.",
        changes={
            "mixed": instead(
                lambda run, weights, V: weights.sum(axis=-1, keepdims=True) * V.sum(axis=-2, keepdims=True)
            )
        },
    ),
)
