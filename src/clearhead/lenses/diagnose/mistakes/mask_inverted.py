"""The mask is the wrong way round."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, seeing

MISTAKES = (
    Mistake(
        name="mask-inverted",
        step="masked",
        says="hides what should be seen and shows what should be hidden",
        seen='True meaning "may be seen" in one library and "hidden" in the next',
        mend="Turn the mask round (~mask), or exchange the two branches of where.",
        changes={"masked": seeing(lambda run, seen: ~seen)},
    ),
)
