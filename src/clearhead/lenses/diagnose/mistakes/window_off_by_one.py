"""The window is one off."""

from __future__ import annotations

from functools import partial

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, seeing
from clearhead.lenses.diagnose.pipeline import Run


def _off(by: int, how: str) -> Mistake:
    return Mistake(
        name="window-off-by-one",
        step="masked",
        says=f"has a window that is one position too {how}",
        seen="whether the position itself is counted: key > query - size against key >= query - size",
        mend="A window of N positions has the query's own in it: key > query - N.",
        changes={"masked": seeing(partial(_moved, by))},
    )


def _moved(by: int, run: Run, seen: np.ndarray) -> np.ndarray:
    """A wider window adds the key before the first that is seen; a narrower one takes that away."""
    if "window" not in run.case.spec.mask:
        return seen
    before = np.roll(seen, -1, axis=-1) & ~seen
    before[..., -1] = False
    first = seen & ~np.roll(seen, 1, axis=-1)
    first[..., 0] = False
    return np.asarray(seen | before if by > 0 else seen & ~first)


MISTAKES = (_off(1, "wide"), _off(-1, "narrow"))
