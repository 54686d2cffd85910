"""The output projection is applied twice."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_result
from clearhead.lenses.diagnose.pipeline import Run


def _again(run: Run, output: np.ndarray) -> np.ndarray:
    weights = run.case.weights
    return np.asarray(output @ weights["W_O"] + weights.get("b_O", 0.0))


MISTAKES = (
    Mistake(
        name="output-projection-twice",
        step="output",
        says="multiplies with W_O twice",
        seen="a projection inside the layer and once more around it",
        mend="Multiply the joined heads with W_O once.",
        changes={"output": on_result(_again)},
    ),
)
