"""A hidden score becomes huge."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, filled

FILLS = (1e4, 1e9)


def _filling(says: str, fill: Callable[[np.ndarray], np.ndarray | float]) -> Mistake:
    return Mistake(
        name="fill-positive",
        step="masked",
        says=f"{says}, so that a query looks at hidden keys alone",
        seen="1e9 for -1e9; a minus sign that is missing before the 10000 of an added mask",
        mend="Fill with -inf.",
        changes={"masked": filled(lambda scores, seen: np.where(seen, scores, fill(scores)))},
    )


def _giving(fill: float) -> Mistake:
    return _filling("gives hidden scores a huge positive number", lambda scores: fill)


def _raising(fill: float) -> Mistake:
    return _filling("raises hidden scores by a huge number", lambda scores: scores + fill)


MISTAKES = (*map(_giving, FILLS), *map(_raising, FILLS))
