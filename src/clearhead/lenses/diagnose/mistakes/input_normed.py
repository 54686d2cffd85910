"""x is normed before it is projected."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake
from clearhead.lenses.diagnose.pipeline import Do, Run


def _projected(
    centred: bool, tiny: float, run: Run, do: Do, operation: Any, x: np.ndarray, W: np.ndarray
) -> np.ndarray:
    """Ba et al. 2016; without centring Zhang and Sennrich 2019. Its own weights are 1 and 0, as they are made."""
    if x is run.case.given["X"]:
        x = x - x.mean(axis=-1, keepdims=True) if centred else x
        x = x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + tiny)
    return do(operation, x, W)


def _norming(name: str, centred: bool, tiny: float) -> Mistake:
    return Mistake(
        name="input-normed",
        step="Q",
        says=f"norms x first ({name}, eps {tiny:g})",
        seen="a norm inside the layer, or a block given for its attention",
        mend="Leave it out if the block norms x as well; if it is meant to be here, check what follows the norm.",
        changes={f"XW_{one}": partial(_projected, centred, tiny) for one in "QKV"},
    )


MISTAKES = tuple(
    _norming(name, centred, tiny)
    for name, centred in (("LayerNorm", True), ("RMSNorm", False))
    for tiny in (1e-5, 1e-6)
)
