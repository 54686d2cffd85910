"""Queries stand in for keys."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_inputs

MISTAKES = (
    Mistake(
        name="queries-for-keys",
        step="scores",
        says="multiplies the queries with themselves; the keys have no part in it",
        seen="one name for another: q @ q^T",
        mend="Multiply the queries with the keys.",
        changes={"scores": on_inputs(lambda run, Q, K: (Q, Q))},
    ),
)
