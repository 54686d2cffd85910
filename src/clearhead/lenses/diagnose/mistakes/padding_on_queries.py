"""The padding mask lies on the queries."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, seeing
from clearhead.lenses.diagnose.pipeline import Run


def _rows(run: Run, seen: np.ndarray) -> np.ndarray:
    padding = run.case.padding
    if padding is None or padding.all():
        return seen
    return np.asarray(run.case.visible_padding() & padding[:, None, :, None])


MISTAKES = (
    Mistake(
        name="padding-on-queries",
        step="masked",
        says="hides the rows of padding, not its columns: padding is still looked at",
        seen="a padding mask broadcast along the wrong axis: mask[:, :, None] for mask[:, None, :]",
        mend="Give the padding mask the shape (batch, 1, 1, keys).",
        changes={"masked": seeing(_rows)},
    ),
)
