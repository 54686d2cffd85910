"""Queries and keys change places."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_result

MISTAKES = (
    Mistake(
        name="keys-ask-queries",
        step="scores",
        says="exchanges queries and keys: each key asks the queries",
        seen="K Q^T for Q K^T, arguments in another order, a joined weight cut into keys, queries and values",
        mend="Multiply the queries with the keys transposed.",
        changes={"scores": on_result(lambda run, scores: scores.swapaxes(-1, -2))},
    ),
)
