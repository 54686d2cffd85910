"""How far rounding alone may carry a result: the reference with every step rounded to the type in question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clearhead.lenses.diagnose.case import Case
from clearhead.lenses.diagnose.pipeline import EVERY, Changes, Do, Run, attention_of, changed

EPSILON = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
"""The distance from 1 to the next number of the type, from the finest to the coarsest."""

SHORT = ("float16", "bfloat16")
"""Types so coarse that a small mistake could pass for their rounding."""
ROUNDED = ("scores", "scaled", "weights", "mixed")
"""Steps that a function may do in a short type, and the others in a longer one."""

TIMES = 8.0
"""How many times as far as the rounded reference a result may be off: steps are done in other orders."""
LEAST = {"float64": 16.0, "float32": 16.0, "float16": 1.0, "bfloat16": 1.0}
"""Units in the last place of the largest value that are allowed in any case: sums are added up in other orders."""


def rounded(values: np.ndarray, dtype: str) -> np.ndarray:
    """The nearest numbers of the type, as float64."""
    with np.errstate(over="ignore"):
        if dtype == "bfloat16":
            bits = np.asarray(values, np.float32).view(np.uint32)
            up = (bits >> 16) & 1
            kept = ((bits + 0x7FFF + up) & np.uint32(0xFFFF0000)).view(np.float32)
            return np.where(np.isfinite(values), kept, values).astype(np.float64)
        return values.astype(dtype).astype(np.float64)


def allowed(case: Case, exact: np.ndarray, dtype: str) -> float:
    """The largest difference that rounding to this type explains, in the units of the output.

    Args:
        case: what was asked.
        exact: the reference's output.
        dtype: one of `EPSILON`.
    """
    made = attention_of(case, [_rounding((EVERY,), dtype)]).values
    if not np.isfinite(made["scores"]).all():
        return np.inf  # the type is too narrow for this question: what comes out then says nothing
    off = np.abs(made["output"] - exact)
    worst = float(np.max(off, initial=0.0, where=np.isfinite(off)))
    size = float(np.max(np.abs(exact), initial=0.0, where=np.isfinite(exact)))
    return TIMES * worst + LEAST[dtype] * EPSILON[dtype] * size


def rounded_at(reference: Run, steps: Sequence[str], dtype: str) -> np.ndarray:
    """The reference's output where these steps are done in this type."""
    change = _rounding(steps, dtype)
    return changed(reference, [change], [change]).values["output"]


def _rounding(steps: Sequence[str], dtype: str) -> Changes:
    def step(run: Run, do: Do, operation: Any, *inputs: np.ndarray) -> np.ndarray:
        return rounded(do(operation, *inputs), dtype)

    return dict.fromkeys(steps, step)
