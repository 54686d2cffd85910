"""Values are turned, too."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_result
from clearhead.lenses.diagnose.pipeline import Run, angles, rotation


def _turned(run: Run, V: np.ndarray) -> np.ndarray:
    spec = run.case.spec
    if spec.rotary is None:
        return V
    return rotation(spec, "key", V.shape[-1]).forward(V, *angles(V.shape[-2], V.shape[-1], spec.rotary_base))


MISTAKES = (
    Mistake(
        name="rotary-on-values",
        step="V",
        says="turns the values by their positions as well",
        seen="one loop over q, k and v",
        mend="Turn queries and keys alone.",
        changes={"V": on_result(_turned)},
    ),
)
