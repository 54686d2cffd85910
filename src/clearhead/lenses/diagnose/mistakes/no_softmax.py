"""There is no softmax."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, skip

MISTAKES = (
    Mistake(
        name="no-softmax",
        step="weights",
        says="takes the scores themselves as weights, without a softmax",
        seen="a line left out",
        mend="Take the softmax of the masked scores over the keys.",
        changes={"weights": skip},
    ),
)
