"""A hidden score becomes some negative number, not −∞."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, filled

FILLS = (1.0, 5.0, 10.0, 20.0, 50.0)
"""What hidden scores are set to, or lowered by: numbers that can be told from one another."""
LARGER = (100.0, 1e3, 1e4, 65504.0)
"""Larger ones only show in which scores they do not hide; numbers from 1e6 on hide well enough."""
LARGER_LOWERED = (100.0, 1e3, 5e3, 1e4, 32768.0)
VANISHES = 104.0
"""e^−104 is 0 in float32."""
SEEN = "-10, -100 or -1e4 for -inf: good enough until scores are large"
MEND = "Fill with -inf, or with the most negative number of the type."


def giving(fill: float | None, *, about: bool = False) -> Mistake:
    """Hidden scores are set to −fill.

    Args:
        fill: above 0; None: some number, not known which.
        about: whether it is not known exactly.
    """
    return Mistake(
        name="fill-too-small",
        step="masked",
        says=f"gives hidden scores {_number(fill, about, '-')}, not -inf: {_harm(fill, 'stay above -{:g}')}",
        seen=SEEN,
        mend=MEND,
        changes={"masked": filled(lambda scores, seen: np.where(seen, scores, -(fill or 0.0)))},
    )


def lowering(fill: float | None, *, about: bool = False) -> Mistake:
    """Hidden scores are lowered by that much; the same arguments."""
    return Mistake(
        name="fill-too-small",
        step="masked",
        says=(
            f"lowers hidden scores by {_number(fill, about)} and no further: "
            f"{_harm(fill, 'are less than {:g} apart')}"
        ),
        seen=SEEN,
        mend=MEND,
        changes={"masked": filled(lambda scores, seen: np.where(seen, scores, scores - (fill or 0.0)))},
    )


def unmeasured(one: Mistake) -> Mistake:
    """The same where other fills would have given the same answers: how large it is, is left open."""
    how = giving(None) if one.says.startswith("gives") else lowering(None)
    return Mistake(one.name, one.step, how.says, one.seen, one.mend, one.changes)


def _number(fill: float | None, about: bool, sign: str = "") -> str:
    if fill is None:
        return "some number"
    return f"{'about ' if about else ''}{sign}{fill:.6g}"


def _harm(fill: float | None, harmless: str) -> str:
    """What it does, and where it does not matter yet."""
    if fill is None or fill <= VANISHES:
        return (
            "where scores are far below 0, hidden keys keep weight"
            if fill is None
            else "hidden keys keep weight"
        )
    within = harmless.format(np.floor(fill - VANISHES))
    return f"harmless in float32 while scores {within}, beyond that hidden keys keep weight"


EXACT = (*map(giving, FILLS), *map(lowering, FILLS[1:]))
"""Where one of these alone explains all answers, it is that number."""
MISTAKES = (*EXACT, *map(giving, LARGER), *map(lowering, LARGER_LOWERED))
