"""The soft cap comes after the mask."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, skip
from clearhead.lenses.diagnose.pipeline import Do, Run


def _masked_before(run: Run, do: Do, operation: Any, scores: np.ndarray) -> np.ndarray:
    return do(operation, np.where(run.case.visible(), scores, -np.inf))


MISTAKES = (
    Mistake(
        name="soft-cap-after-mask",
        step="soft_capped",
        says="masks before it bends, so that a hidden score becomes -cap and not -inf",
        seen="two lines exchanged",
        mend="Bend first, then mask.",
        changes={"soft_capped": _masked_before, "masked": skip},
    ),
)
