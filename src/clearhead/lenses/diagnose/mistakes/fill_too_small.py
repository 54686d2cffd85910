"""A hidden score becomes some negative number, not −∞."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, filled

FILLS = (1.0, 5.0, 10.0, 50.0, 100.0, 500.0, 1e3, 5e3, 1e4)
"""What scores are lowered to, or by; numbers from 1e5 on hide well enough."""


def _filling(fill: float) -> Mistake:
    return Mistake(
        name="fill-too-small",
        step="masked",
        says=f"gives a hidden score the number {-fill:g}, not -inf, so that hidden keys keep some weight where scores are low",
        seen="-10, -100 or -1e4 for -inf: good enough until scores are large",
        mend="Fill with -inf, or with the most negative number of the type.",
        changes={"masked": filled(lambda scores, seen: np.where(seen, scores, -fill))},
    )


def _lowering(fill: float) -> Mistake:
    return Mistake(
        name="fill-too-small",
        step="masked",
        says=f"lowers a hidden score by {fill:g} and no further, so that hidden keys keep some weight",
        seen="-10, -100 or -1e4 for -inf: good enough until scores are large",
        mend="Fill with -inf, or with the most negative number of the type.",
        changes={"masked": filled(lambda scores, seen: np.where(seen, scores, scores - fill))},
    )


MISTAKES = (*map(_filling, FILLS), *map(_lowering, FILLS[1:]))
