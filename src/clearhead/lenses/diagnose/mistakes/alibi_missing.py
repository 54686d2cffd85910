"""There is no ALiBi bias."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, skip

MISTAKES = (
    Mistake(
        name="alibi-missing",
        step="biased",
        says="adds no penalty on distance",
        seen="a bias that is made and never added",
        mend="Add -slope * |i - j| to the scaled scores.",
        changes={"biased": skip},
    ),
)
