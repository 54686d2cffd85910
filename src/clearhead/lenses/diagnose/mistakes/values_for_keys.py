"""Values stand in for keys."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_inputs

MISTAKES = (
    Mistake(
        name="values-for-keys",
        step="scores",
        says="multiplies the queries with the values, not with the keys",
        seen="one name for another: q @ v^T",
        mend="Multiply the queries with the keys.",
        changes={"scores": on_inputs(lambda run, Q, K: (Q, run.values.get("V_shared", run.values["V"])))},
    ),
)
