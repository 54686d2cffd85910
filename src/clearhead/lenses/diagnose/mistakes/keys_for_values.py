"""Keys stand in for values."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_inputs

MISTAKES = (
    Mistake(
        name="keys-for-values",
        step="mixed",
        says="blends the keys, not the values",
        seen="one name for another: weights @ k",
        mend="Multiply the weights with the values.",
        changes={
            "mixed": on_inputs(lambda run, weights, V: (weights, run.values.get("K_shared", run.values["K"])))
        },
    ),
)
