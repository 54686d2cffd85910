"""There are no rotary positions."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, skip

MISTAKES = (
    Mistake(
        name="rotary-missing",
        step="Q_rotated",
        says="does not turn queries and keys by their positions",
        seen="a line left out",
        mend="Turn queries and keys before the scores.",
        changes={"Q_rotated": skip, "K_rotated": skip},
    ),
)
