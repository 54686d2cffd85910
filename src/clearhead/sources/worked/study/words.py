"""The words of the study language, and what each of them can be.

The gender and number of a noun are those of the pronoun that stands for it.
"""

from __future__ import annotations

START = "<start>"
"""Stands before the first word of every sentence. It is not part of the sentence and is never predicted."""

NOUNS: dict[str, str] = {
    **dict.fromkeys(("king", "boy", "man", "monk"), "he"),
    **dict.fromkeys(("queen", "girl", "woman", "nun"), "she"),
    **dict.fromkeys(("dogs", "cats", "birds", "horses"), "they"),
}
"""Every noun with its pronoun."""

DEEDS: dict[str, str] = {
    "king": "rules", "queen": "rules", "boy": "plays", "girl": "plays",
    "man": "works", "woman": "works", "monk": "prays", "nun": "prays",
    "dogs": "bark", "cats": "purr", "birds": "fly", "horses": "trot",
}  # fmt: skip
"""What each noun does: the only word that can follow a pronoun that stands for it."""

PLURAL: dict[str, str] = {"calls": "call", "has": "have", "runs": "run", "sleeps": "sleep", "waits": "wait"}
"""The verbs that agree with their subject: singular form, plural form."""

PAIRS: dict[str, str] = {"both": "and", "either": "or", "neither": "nor", "not": "but"}
"""Words that determine another: "both" X "and", whatever X is."""

MEETINGS = ("saw", "heard", "met", "liked")
"""Verbs in the past, which are the same for one and for many: they tell nothing of their subject's number."""

THINGS = (
    "gold", "silver", "iron", "wood", "wool", "silk", "salt", "milk", "bread", "wine", "tea", "corn", "oil", "honey",
)  # fmt: skip
OPENINGS = ("today", "now")
LINKS = ("and", "because", "so")

VOCABULARY: tuple[str, ...] = tuple(
    dict.fromkeys((
        START, ".", "!", ",", "the", "that", *NOUNS, *dict.fromkeys(NOUNS.values()), *DEEDS.values(), *MEETINGS,
        *PLURAL, *PLURAL.values(), *PAIRS, *PAIRS.values(), *THINGS, *OPENINGS, *LINKS,
    ))
)  # fmt: skip
"""Every word once, `START` first; the number of a word is its place."""


def form(verb: str, subject: str) -> str:
    """The form of `verb` (given in the singular) that agrees with the noun `subject`."""
    return PLURAL[verb] if NOUNS[subject] == "they" else verb
