"""All sentences get the first one's padding mask."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, seeing
from clearhead.lenses.diagnose.pipeline import Run


def _first(run: Run, seen: np.ndarray) -> np.ndarray:
    padding = run.case.padding
    if padding is None:
        return seen
    return np.asarray(run.case.visible_padding() & padding[:1, None, None, :])


MISTAKES = (
    Mistake(
        name="padding-of-first-sentence",
        step="masked",
        says="hides the padding of the batch's first sentence in all of them",
        seen="mask[0], or a mask that was made from one sentence",
        mend="Give each sentence its own padding mask.",
        changes={"masked": seeing(_first)},
    ),
)
