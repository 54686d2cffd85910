"""The weighted sum is divided by the number of keys."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_result

MISTAKES = (
    Mistake(
        name="divided-by-keys",
        step="mixed",
        says="divides the blend by the number of keys",
        seen="a mean where the weighted sum was meant",
        mend="Add up the weighted values; the weights already are shares.",
        changes={"mixed": on_result(lambda run, mixed: mixed / run.values["weights"].shape[-1])},
    ),
)
