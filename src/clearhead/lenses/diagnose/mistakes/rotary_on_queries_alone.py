"""Keys are not turned."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, skip

MISTAKES = (
    Mistake(
        name="rotary-on-queries-alone",
        step="K_rotated",
        says="turns the queries and not the keys",
        seen="a line left out",
        mend="Turn the keys by their positions as well.",
        changes={"K_rotated": skip},
    ),
)
