"""All heads get the first one's result."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_result

MISTAKES = (
    Mistake(
        name="first-head-for-all",
        step="mixed",
        says="gives every head what the first one blends",
        seen="an index of 0 where all heads were meant, spread over the others",
        mend="Keep the heads apart.",
        changes={"mixed": on_result(lambda run, mixed: np.broadcast_to(mixed[:, :1], mixed.shape))},
    ),
)
