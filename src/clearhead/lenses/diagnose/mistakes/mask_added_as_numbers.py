"""A boolean mask is added as 0 and 1."""

from __future__ import annotations

from typing import Any

from clearhead.lenses.diagnose.mistakes.base import Mistake, filled


def _adding(what: str, added: Any) -> Mistake:
    return Mistake(
        name="mask-added-as-numbers",
        step="masked",
        says=f"adds the mask to the scores as the numbers 0 and 1, so that {what} get 1 more and nothing is hidden",
        seen="a boolean mask added to the scores",
        mend="Use where(mask, scores, -inf), or turn the mask into 0 and -inf before adding it.",
        changes={"masked": filled(lambda scores, seen: scores + added(seen))},
    )


MISTAKES = (
    _adding("the keys that may be seen", lambda seen: seen),
    _adding("the hidden keys", lambda seen: ~seen),
)
