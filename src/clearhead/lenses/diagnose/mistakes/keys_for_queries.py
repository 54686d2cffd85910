"""Keys stand in for queries."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_inputs

MISTAKES = (
    Mistake(
        name="keys-for-queries",
        step="scores",
        says="multiplies the keys with themselves; the queries have no part in it",
        seen="one name for another: k @ k^T",
        mend="Multiply the queries with the keys.",
        changes={"scores": on_inputs(lambda run, Q, K: (K, K))},
    ),
)
