"""The window is one off."""

from __future__ import annotations

import re
from dataclasses import replace
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
    case = run.case
    other = re.sub(r"window\((\d+)\)", lambda size: f"window({int(size[1]) + by})", case.spec.mask)
    if other == case.spec.mask:
        return seen
    moved = replace(case, spec=replace(case.spec, mask=other)).visible()
    return np.asarray(seen | moved if by > 0 else seen & moved)


MISTAKES = (_off(1, "wide"), _off(-1, "narrow"))
