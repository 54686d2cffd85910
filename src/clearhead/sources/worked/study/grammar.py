"""The grammar of the study language: what can come next, how likely each word is, and what follows from it.

What may come next depends only on a small `State`, and `choices` is the only place that knows the rules; drawing
sentences, checking them and the best possible prediction all go through it. The sentences, with [optional] parts:

    sentence = [opening] subject doings [link pronoun deed [link pronoun deed]] "."
             | [opening] subject "calls" call "!" call "!"
    subject  = "the" noun ["that" meeting "the" noun ["that" meeting "the" noun]]
    doings   = verb | "has" pair ["," pair] | meeting "the" noun (only after a subject without "that")
    pair     = "both" thing "and" thing | "either" thing "or" thing | ...
    call     = three to five things

Verbs agree with the subject, the first noun. No two nouns of a sentence have the same pronoun, so a pronoun is never
ambiguous; it stands for a noun that none stood for before. The things of a call differ; the second call is the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from clearhead.sources.worked.study.words import DEEDS, MEETINGS, NOUNS, OPENINGS, PAIRS, THINGS, form

MOST_WORDS = 24
"""The length of the longest sentence, its full stop included."""

SHORTEST_CALL, LONGEST_CALL = 3, 5

VERBS = {"calls": 0.5, "has": 0.3, "runs": 0.12, "sleeps": 0.05, "waits": 0.03}
"""How often each verb is said, in the singular or the plural."""

LINKED = {"and": 0.5, "because": 0.3, "so": 0.2}


class State(NamedTuple):
    """All that the words so far say about the words to come.

    Attributes:
        place: the rule that comes next, a key of `RULES`.
        nouns: the nouns so far; the first is the subject.
        stood: the nouns that a pronoun has stood for.
        word: the pair-word, or the thing that must not be named twice.
        call: the things called so far, or the first thing of a pair.
        pairs: how many pairs of things have been named.
        again: how many of them have been repeated.
    """

    place: str = "opening"
    nouns: tuple[str, ...] = ()
    stood: tuple[str, ...] = ()
    word: str = ""
    call: tuple[str, ...] = ()
    pairs: int = 0
    again: int = 0


class Choice(NamedTuple):
    """One word that can come next, how likely it is, and the state after it."""

    word: str
    probability: float
    state: State


@lru_cache(maxsize=1 << 16)
def choices(state: State) -> tuple[Choice, ...]:
    """Every word that can come next; their probabilities add up to 1. Empty when the sentence is complete."""
    return tuple(RULES[state.place](state))


def _opening(state: State) -> list[Choice]:
    return [
        Choice("the", 0.7, state._replace(place="subject")),
        *_evenly(OPENINGS, state._replace(place="the subject"), 0.3),
    ]


def _the(place: str) -> Callable[[State], list[Choice]]:
    return lambda state: [Choice("the", 1.0, state._replace(place=place))]


def _noun(place: str) -> Callable[[State], list[Choice]]:
    def rule(state: State) -> list[Choice]:
        taken = {NOUNS[noun] for noun in state.nouns}
        free = [noun for noun, pronoun in NOUNS.items() if pronoun not in taken]
        return [
            Choice(noun, 1 / len(free), state._replace(place=place, nouns=(*state.nouns, noun)))
            for noun in free
        ]

    return rule


def _after_subject(state: State) -> list[Choice]:
    clause = Choice("that", 0.45, state._replace(place="that"))
    return [clause, *_evenly(MEETINGS, state._replace(place="the object"), 0.25), *_verbs(state, 0.3)]


def _after_clause(state: State) -> list[Choice]:
    if len(state.nouns) > 2:
        return _verbs(state, 1.0)
    return [Choice("that", 0.15, state._replace(place="that")), *_verbs(state, 0.85)]


def _that(state: State) -> list[Choice]:
    return _evenly(MEETINGS, state._replace(place="the other"))


def _verbs(state: State, together: float) -> list[Choice]:
    # The call of a sentence with three nouns would make it longer than any other.
    verbs = {verb: share for verb, share in VERBS.items() if verb != "calls" or len(state.nouns) < 3}
    places = {"calls": "call", "has": "pair"}
    return [
        Choice(
            form(verb, state.nouns[0]),
            together * share / sum(verbs.values()),
            state._replace(place=places.get(verb, "end")),
        )
        for verb, share in verbs.items()
    ]


def _pair(state: State) -> list[Choice]:
    return [Choice(word, 1 / len(PAIRS), state._replace(place="thing", word=word)) for word in PAIRS]


def _thing(state: State) -> list[Choice]:
    return [
        Choice(thing, 1 / len(THINGS), state._replace(place="partner", call=(thing,))) for thing in THINGS
    ]


def _partner(state: State) -> list[Choice]:
    return [Choice(PAIRS[state.word], 1.0, state._replace(place="other thing", word=state.call[0], call=()))]


def _other_thing(state: State) -> list[Choice]:
    others = [thing for thing in THINGS if thing != state.word]
    return _evenly(others, state._replace(place="after pair", word="", pairs=state.pairs + 1))


def _after_pair(state: State) -> list[Choice]:
    if state.pairs == 2 or len(state.nouns) > 2:
        return _end(state)
    more = Choice(",", 0.5, state._replace(place="pair"))
    return [more, *(choice._replace(probability=choice.probability / 2) for choice in _end(state))]


def _end(state: State) -> list[Choice]:
    stop = Choice(".", 0.3, state._replace(place="complete"))
    if len(state.stood) in (2, len(state.nouns)):
        return [stop._replace(probability=1.0)]
    return [
        stop,
        *(Choice(word, 0.7 * share, state._replace(place="pronoun")) for word, share in LINKED.items()),
    ]


def _pronoun(state: State) -> list[Choice]:
    free = [noun for noun in state.nouns if noun not in state.stood]
    return [
        Choice(NOUNS[noun], 1 / len(free), state._replace(place="deed", stood=(*state.stood, noun)))
        for noun in free
    ]


def _deed(state: State) -> list[Choice]:
    return [Choice(DEEDS[state.stood[-1]], 1.0, state._replace(place="end"))]


def _call(state: State) -> list[Choice]:
    length = len(state.call)
    stop = 1.0 if length == LONGEST_CALL else 0.3 if length >= SHORTEST_CALL else 0.0
    left = [thing for thing in THINGS if thing not in state.call]
    things = [
        Choice(thing, (1 - stop) / len(left), state._replace(call=(*state.call, thing))) for thing in left
    ]
    end = Choice("!", stop, state._replace(place="again"))
    return [choice for choice in (end, *things) if choice.probability]


def _again(state: State) -> list[Choice]:
    if state.again == len(state.call):
        return [Choice("!", 1.0, state._replace(place="complete"))]
    return [Choice(state.call[state.again], 1.0, state._replace(again=state.again + 1))]


def _evenly(words: Sequence[str], state: State, together: float = 1.0) -> list[Choice]:
    return [Choice(word, together / len(words), state) for word in words]


RULES: dict[str, Callable[[State], list[Choice]]] = {
    "opening": _opening,
    "the subject": _the("subject"), "subject": _noun("after subject"), "after subject": _after_subject,
    "that": _that, "the other": _the("other"), "other": _noun("after clause"), "after clause": _after_clause,
    "the object": _the("object"), "object": _noun("end"),
    "pair": _pair, "thing": _thing, "partner": _partner, "other thing": _other_thing,
    "after pair": _after_pair,
    "call": _call, "again": _again,
    "end": _end, "pronoun": _pronoun, "deed": _deed, "complete": lambda state: [],
}  # fmt: skip
"""Every place of the grammar with the rule for what can come next."""
