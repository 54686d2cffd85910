"""There is no window."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, seeing


def _before(seen: np.ndarray) -> np.ndarray:
    """All keys before the last that is seen."""
    return np.asarray(np.logical_or.accumulate(seen[..., ::-1], axis=-1)[..., ::-1])


MISTAKES = (
    Mistake(
        name="no-window",
        step="masked",
        says="looks back without end: the window is not put on",
        seen="a sliding window that is set in the configuration and never used",
        mend="Hide the keys further back than the window: key > query - N.",
        changes={
            "masked": seeing(
                lambda run, seen: seen | _before(seen) if "window" in run.case.spec.mask else seen
            )
        },
    ),
)
