"""Keys and values are made of x where they are to be made of something else."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_inputs
from clearhead.lenses.diagnose.pipeline import Run


def _of_x(run: Run, source: np.ndarray, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return run.case.given["X"], W


MISTAKES = (
    Mistake(
        name="context-ignored",
        step="K",
        says="makes keys and values of x, and never looks at the context",
        seen="x for context in two of three projections",
        mend="Project the context to keys and values; of x only the queries are made.",
        changes={"XW_K": on_inputs(_of_x), "XW_V": on_inputs(_of_x)},
    ),
)
