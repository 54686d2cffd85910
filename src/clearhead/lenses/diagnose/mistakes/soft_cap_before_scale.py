"""The soft cap comes before the scale."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, skip
from clearhead.lenses.diagnose.pipeline import Do, Run


def _scaled_after(run: Run, do: Do, operation: Any, scores: np.ndarray) -> np.ndarray:
    scale = run.case.spec.scale
    return do(operation, scores) * (run.d_head**-0.5 if scale is None else scale)


MISTAKES = (
    Mistake(
        name="soft-cap-before-scale",
        step="soft_capped",
        says="bends the scores before they are scaled",
        seen="two lines exchanged",
        mend="Scale first, then bend.",
        changes={"scaled": skip, "soft_capped": _scaled_after},
    ),
)
