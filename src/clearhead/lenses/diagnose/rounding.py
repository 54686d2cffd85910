"""How far rounding alone may carry a result: the reference with every step rounded to the type in question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clearhead.lenses.diagnose.case import Case
from clearhead.lenses.diagnose.pipeline import Do, Run, attention_of

EPSILON = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
"""The distance from 1 to the next number of the type, from the finest to the coarsest."""

TIMES = 8.0
"""How many times as far as the rounded reference a result may be off: sums are added up in other orders."""
LEAST = 16.0
"""Units in the last place of the largest value that are allowed in any case."""


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

    def step(run: Run, do: Do, operation: Any, *inputs: np.ndarray) -> np.ndarray:
        return rounded(do(operation, *inputs), dtype)

    every: Mapping[str, Any] = {"*": step}
    off = np.abs(attention_of(case, [every]).values["output"] - exact)
    worst = float(np.max(off, initial=0.0, where=np.isfinite(off)))
    size = float(np.max(np.abs(exact), initial=0.0, where=np.isfinite(exact)))
    return TIMES * worst + LEAST * EPSILON[dtype] * size
