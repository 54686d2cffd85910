"""The mask is transposed."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, seeing
from clearhead.lenses.diagnose.pipeline import Run


def _turned(run: Run, seen: np.ndarray) -> np.ndarray:
    """The mask alone: padding that lies on the wrong axis is another mistake."""
    turned = run.case.visible_padding().swapaxes(-1, -2)
    padding = run.case.padding
    return turned if padding is None else turned & padding[:, None, None, :]


MISTAKES = (
    Mistake(
        name="mask-transposed",
        step="masked",
        says="hides what came before instead of what comes after",
        seen="triu for tril",
        mend="Let query i see the keys j up to i: tril, or key <= query.",
        changes={"masked": seeing(_turned)},
    ),
)
