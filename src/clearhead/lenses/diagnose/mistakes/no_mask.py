"""There is no mask."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, skip

MISTAKES = (
    Mistake(
        name="no-mask",
        step="masked",
        says="does not mask at all: queries see keys that are hidden from them",
        seen="a mask that is built and never used; causal=False as the default",
        mend="Put the mask on before the softmax: a hidden score becomes -inf.",
        changes={"masked": skip},
    ),
)
