"""Where, in a sentence, a word can only be predicted by looking at one certain earlier word.

Positions count from 0, and `START` is at position 0: word n of a sentence is at position n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from clearhead.sources.worked.study.words import NOUNS, PAIRS, PLURAL, THINGS

KINDS = ("previous", "induction", "pronoun", "agreement")
"""The four jobs: see `jobs`."""

EDGES = "edges"
"""Where a repeated call begins and where it ends: repetition too, but not looking for the same word."""


class Job(NamedTuple):
    """One prediction that depends on one earlier word.

    Attributes:
        kind: one of `KINDS`, or `EDGES`.
        query: the position that predicts the next word.
        key: the position whose word decides it.
        crossed: whether a word of the same class, but the wrong one, stands nearer (a noun for a pronoun or a verb).
    """

    kind: str
    query: int
    key: int
    crossed: bool = False


def jobs(sentence: Sequence[str]) -> list[Job]:
    """Every job in a sentence of the language, from left to right.

    previous: from X to the word before it: after "either" X comes "or". induction: from a thing in the second call to
    the place after the same thing in the first. edges: from the first "!" to the first thing, and from the last thing
    to that "!". pronoun: from "he" to its noun.
    agreement: from the end of a clause ("the dogs that saw the king") to the subject, whose number the verb has.
    """
    words = ("", *sentence)
    nouns = [position for position, word in enumerate(words) if word in NOUNS]
    found = list[Job]()
    for query, word in enumerate(words):
        follows = words[query + 1] if query + 1 < len(words) else ""
        before = [noun for noun in nouns if noun < query]
        if word in NOUNS.values():
            key = next(noun for noun in before if NOUNS[words[noun]] == word)
            found.append(Job("pronoun", query, key, crossed=key != before[-1]))
        elif words[query - 1] in PAIRS and query:
            found.append(Job("previous", query, query - 1))
        elif word in NOUNS and before and (follows in PLURAL or follows in PLURAL.values()):
            number = {NOUNS[words[noun]] == "they" for noun in (nouns[0], query)}
            found.append(Job("agreement", query, nouns[0], crossed=len(number) == 2))
        elif word in THINGS and "!" in words[:query]:
            found.append(Job("induction" if follows in THINGS else EDGES, query, words.index(word) + 1))
        elif word == "!" and follows:
            found.append(Job(EDGES, query, next(place for place, each in enumerate(words) if each in THINGS)))
    return found
