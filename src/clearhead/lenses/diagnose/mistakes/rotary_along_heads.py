"""Angles follow the head instead of the position."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead
from clearhead.lenses.diagnose.pipeline import Run, angles, rotation


def _by_head(run: Run, x: np.ndarray, cos: np.ndarray, sin: np.ndarray) -> np.ndarray:
    _, heads, _, width = x.shape
    by = (made[:, None, :] for made in angles(heads, width, run.case.spec.rotary_base))
    return rotation(run.case.spec, "query", width).forward(x, *by)


MISTAKES = (
    Mistake(
        name="rotary-along-heads",
        step="Q_rotated",
        says="turns by the number of the head, not by the position",
        seen="the axes of heads and positions exchanged where the angles are made",
        mend="Make the angles from the positions of the tokens.",
        changes={"Q_rotated": instead(_by_head), "K_rotated": instead(_by_head)},
    ),
)
