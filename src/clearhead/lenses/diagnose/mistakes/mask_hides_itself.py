"""The mask hides a position from itself."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, seeing


def _others(seen: np.ndarray) -> np.ndarray:
    query, key = np.ogrid[: seen.shape[-2], : seen.shape[-1]]
    return np.asarray(key != query)


MISTAKES = (
    Mistake(
        name="mask-hides-itself",
        step="masked",
        says="hides every position from itself as well",
        seen="tril(diagonal=-1), or key < query for key <= query",
        mend="Let a position see itself: key <= query.",
        changes={"masked": seeing(lambda run, seen: seen & _others(seen))},
    ),
)
