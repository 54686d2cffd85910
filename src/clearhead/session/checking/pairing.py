"""Two mistakes at once, where one explains nothing: tried in the ways of asking that the weights bear out."""

from __future__ import annotations

from dataclasses import replace

from clearhead.lenses.diagnose import explanations
from clearhead.session.checking.attempts import Attempt
from clearhead.session.checking.parted import blends, hidden_otherwise


def with_pairs(made: list[Attempt]) -> list[Attempt]:
    """The attempts, those first that two mistakes explain; as they are where something simpler explains one of them."""
    if any(one.found or one.hint for one in made):
        return made
    likely = _likely(made)
    tried = [replace(one, found=explanations(one.askings, most=2)) if one in likely else one for one in made]
    return sorted(tried, key=lambda one: one.mistakes)


def _likely(made: list[Attempt]) -> list[Attempt]:
    """Without those that another one rules out.

    Where its weights give its answers in one way of asking, it is no other. Where all that it hides is what the mask
    hides, it is not meant to hide nothing.
    """
    if len(made) < 2:
        return made
    likely = [one for one in made if blends(one)] or made
    exact = [one for one in likely if not one.askings[0].case.visible().all() and hidden_otherwise(one) == 0]
    return exact or likely


def over_sentences(attempt: Attempt) -> bool:
    """Whether it would be right if positions and sentences changed places: where they do not, it was not asked."""
    return any("attends-over-batch" in one.names for one in attempt.found[:1])
