"""There is no output projection."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, skip

MISTAKES = (
    Mistake(
        name="no-output-projection",
        step="output",
        says="returns the joined heads without multiplying them with W_O",
        seen="a line left out",
        mend="Multiply the joined heads with W_O.",
        changes={"projected": skip, "projected_biased": skip},
    ),
)
