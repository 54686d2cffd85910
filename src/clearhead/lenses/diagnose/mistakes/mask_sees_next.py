"""The mask lets the next position through."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, seeing


def _next(seen: np.ndarray) -> np.ndarray:
    query, key = np.ogrid[: seen.shape[-2], : seen.shape[-1]]
    return np.asarray(key == query + 1)


MISTAKES = (
    Mistake(
        name="mask-sees-next",
        step="masked",
        says="lets every position see the next one",
        seen="tril(diagonal=1), or a target that was shifted twice",
        mend="Let query i see the keys j up to i and no further.",
        changes={"masked": seeing(lambda run, seen: seen | _next(seen))},
    ),
)
