"""The weights are transposed."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_inputs

MISTAKES = (
    Mistake(
        name="weights-transposed",
        step="mixed",
        says="blends with the weights transposed: each value goes where it should come from",
        seen="two letters exchanged in an einsum",
        mend="Multiply the weights (queries, keys) with the values (keys, d_value).",
        changes={"mixed": on_inputs(lambda run, weights, V: (weights.swapaxes(-1, -2), V))},
    ),
)
