"""The softmax has base 2."""

from __future__ import annotations

import numpy as np

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_inputs

MISTAKES = (
    Mistake(
        name="softmax-base-2",
        step="weights",
        says="exponentiates with base 2, not e",
        seen="exp2 of a fast kernel without the factor log2(e) in the scale",
        mend="Multiply the scores by log2(e) before exp2, or use exp.",
        changes={"weights": on_inputs(lambda run, masked: (masked * np.log(2.0),))},
    ),
)
