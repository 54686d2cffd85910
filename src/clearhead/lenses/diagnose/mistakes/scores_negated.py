"""The scores have the opposite sign."""

from __future__ import annotations

from clearhead.lenses.diagnose.mistakes.base import Mistake, on_result

MISTAKES = (
    Mistake(
        name="scores-negated",
        step="scaled",
        says="takes the scores with the opposite sign, so that unlike positions get the most weight",
        seen="a distance or a penalty taken for a score",
        mend="Take the scores as they are.",
        changes={"scaled": on_result(lambda run, scores: -scores)},
    ),
)
