"""Queries are not turned."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, skip

MISTAKES = (
    Mistake(
        name="rotary-on-keys-alone",
        step="Q_rotated",
        says="turns the keys and not the queries",
        seen="a line left out, or a cache of turned keys used with plain queries",
        mend="Turn the queries by their positions as well.",
        changes={"Q_rotated": skip},
    ),
)
