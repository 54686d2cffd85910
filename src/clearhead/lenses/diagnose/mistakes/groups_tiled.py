"""Shared heads are tiled instead of repeated."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead

MISTAKES = (
    Mistake(
        name="groups-tiled",
        step="K_shared",
        says="hands the key and value heads out in turn: query head h reads key head h modulo their number",
        seen="repeat or tile for repeat_interleave",
        mend="Repeat each key and value head for the query heads of its group, one after the other: repeat_interleave.",
        changes={
            name: instead(lambda run, x: np.tile(x, (1, run.case.spec.heads // run.case.spec.kv_heads, 1, 1)))
            for name in ("K_shared", "V_shared")
        },
    ),
)
