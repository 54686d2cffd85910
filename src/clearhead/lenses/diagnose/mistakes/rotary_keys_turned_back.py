"""Keys are turned the other way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake
from clearhead.lenses.diagnose.pipeline import Do, Run


def _back(run: Run, do: Do, operation: Any, *inputs: np.ndarray) -> np.ndarray:
    return do(replace(operation, back=True), *inputs)


MISTAKES = (
    Mistake(
        name="rotary-keys-turned-back",
        step="K_rotated",
        says="turns the keys the other way round, so that scores depend on the sum of two positions, not the distance",
        seen="a sign in the formula of the sine",
        mend="Turn queries and keys by the same formula.",
        changes={"K_rotated": _back},
    ),
)
