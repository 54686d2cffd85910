"""The mask is transposed."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, seeing

MISTAKES = (
    Mistake(
        name="mask-transposed",
        step="masked",
        says="hides what came before instead of what comes after",
        seen="triu for tril",
        mend="Let query i see the keys j up to i: tril, or key <= query.",
        changes={"masked": seeing(lambda run, seen: seen.swapaxes(-1, -2))},
    ),
)
