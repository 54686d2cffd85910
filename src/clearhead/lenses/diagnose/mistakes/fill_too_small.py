"""A hidden score becomes some negative number, not −∞."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, filled

FILLS = (1.0, 5.0, 10.0, 20.0, 50.0)
"""What hidden scores are set to, or lowered by: numbers that can be told from one another."""
ABOUT = (100.0, 1e3, 1e4, 65504.0)
"""Larger ones only show in which scores they do not hide; numbers from 1e6 on hide well enough."""
ABOUT_LOWERED = (100.0, 1e3, 5e3, 1e4, 32768.0)
SEEN = "-10, -100 or -1e4 for -inf: good enough until scores are large"
MEND = "Fill with -inf, or with the most negative number of the type."


def _filling(fill: float) -> Mistake:
    return Mistake(
        name="fill-too-small",
        step="masked",
        says=f"gives hidden scores {_about(fill)}{-fill:g}, not -inf: where scores are low, hidden keys keep weight",
        seen=SEEN,
        mend=MEND,
        changes={"masked": filled(lambda scores, seen: np.where(seen, scores, -fill))},
    )


def _lowering(fill: float) -> Mistake:
    return Mistake(
        name="fill-too-small",
        step="masked",
        says=f"lowers hidden scores by {_about(fill)}{fill:g} and no further, so that hidden keys keep weight",
        seen=SEEN,
        mend=MEND,
        changes={"masked": filled(lambda scores, seen: np.where(seen, scores, scores - fill))},
    )


def _about(fill: float) -> str:
    return "" if fill in FILLS else "about "


MISTAKES = (*map(_filling, FILLS + ABOUT), *map(_lowering, FILLS[1:] + ABOUT_LOWERED))
