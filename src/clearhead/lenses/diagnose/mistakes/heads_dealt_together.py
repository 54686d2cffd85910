"""Heads are joined number by number."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead

MISTAKES = (
    Mistake(
        name="heads-dealt-together",
        step="joined",
        says="joins the heads number by number in turn, not one after the other",
        seen="the last two axes exchanged before the reshape",
        mend="Bring (batch, positions, heads, d_value) to (batch, positions, heads * d_value).",
        changes={
            "joined": instead(
                lambda run, mixed: np.moveaxis(mixed, 1, -1).reshape(mixed.shape[0], mixed.shape[2], -1)
            )
        },
    ),
)
