"""Queries stand in for values."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_inputs

MISTAKES = (
    Mistake(
        name="queries-for-values",
        step="mixed",
        says="blends the queries, not the values",
        seen="one name for another: weights @ q",
        mend="Multiply the weights with the values.",
        changes={"mixed": on_inputs(lambda run, weights, V: (weights, run.values["Q"]))},
    ),
)
