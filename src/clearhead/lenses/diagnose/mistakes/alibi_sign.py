"""The ALiBi bias has the wrong sign."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead

MISTAKES = (
    Mistake(
        name="alibi-sign",
        step="biased",
        says="rewards distance instead of penalising it",
        seen="a sign: + slope * |i - j|",
        mend="Subtract slope * |i - j|.",
        changes={"biased": instead(lambda run, scores, bias: scores - bias)},
    ),
)
