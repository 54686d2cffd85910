"""There is no soft cap."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, skip

MISTAKES = (
    Mistake(
        name="soft-cap-missing",
        step="soft_capped",
        says="does not bend the scores to the cap",
        seen="a soft cap that is set in the configuration and never used (as by kernels that do not know it)",
        mend="cap * tanh(scores / cap), after the scale and before the mask.",
        changes={"soft_capped": skip},
    ),
)
