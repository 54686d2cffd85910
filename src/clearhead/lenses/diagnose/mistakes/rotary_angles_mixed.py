"""Angles and pairs follow different layouts."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, instead
from clearhead.lenses.diagnose.pipeline import Run


def _mixed(run: Run, x: np.ndarray, cos: np.ndarray, sin: np.ndarray) -> np.ndarray:
    if run.case.spec.rotary == "halves":
        cos, sin = (np.repeat(one, 2, axis=-1) for one in (cos, sin))
        first, second = np.split(x, 2, axis=-1)
        turned = np.concatenate([-second, first], axis=-1)
    else:
        cos, sin = (np.concatenate([one, one], axis=-1) for one in (cos, sin))
        turned = np.stack([-x[..., 1::2], x[..., ::2]], axis=-1).reshape(x.shape)
    return np.asarray(x * cos + turned * sin)


MISTAKES = (
    Mistake(
        name="rotary-angles-mixed",
        step="Q_rotated",
        says="pairs features in one way and gives them the angles of the other",
        seen="repeat_interleave of the cosines with features paired as halves, or the reverse",
        mend="Lay out cosines and sines as the features are paired.",
        changes={"Q_rotated": instead(_mixed), "K_rotated": instead(_mixed)},
    ),
)
