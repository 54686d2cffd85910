"""Sentences of the study language: drawn by seed, checked, and predicted as well as is possible."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from clearhead.sources.worked.study.grammar import State, choices
from clearhead.sources.worked.study.words import START, VOCABULARY

Sentence = tuple[str, ...]


def sentences(count: int, seed: int) -> list[Sentence]:
    """`count` sentences, each drawn with its probability; the same seed gives the same sentences."""
    random = Random(seed)
    return [_draw(random) for _ in range(count)]


def unseen(count: int, seed: int, seen: Iterable[Sentence]) -> list[Sentence]:
    """`count` different sentences, none of which is in `seen`."""
    random, known, found = Random(seed), set(seen), dict[Sentence, None]()
    while len(found) < count:
        sentence = _draw(random)
        if sentence not in known:
            found[sentence] = None
    return list(found)


def predictions(sentence: Sequence[str]) -> list[dict[str, float]]:
    """The true probabilities of the next word, before each word of the sentence.

    Nothing can predict better: the first entry is the distribution of the first word (what follows `START`), and so on.

    Raises:
        ValueError: the words are not a sentence of the language; the message is that of `why_not`.
    """
    if problem := why_not(sentence):
        raise ValueError(problem)
    state, found = State(), list[dict[str, float]]()
    for word in sentence:
        possible = choices(state)
        found.append({choice.word: choice.probability for choice in possible})
        state = next(choice.state for choice in possible if choice.word == word)
    return found


def is_sentence(words: Sequence[str]) -> bool:
    """Whether the words are a complete sentence of the language."""
    return why_not(words) is None


def why_not(words: Sequence[str]) -> str | None:
    """One sentence that says what is wrong, where, and what was expected; None for a sentence of the language."""
    for place, word in enumerate(words, 1):
        if word not in VOCABULARY or word == START:
            count = len(VOCABULARY) - 1
            return f"word {place} is {word!r}, which is not one of the {count} words of the study language"
    state = State()
    for place, word in enumerate(words, 1):
        possible = choices(state)
        if not possible:
            return f"word {place} is {word!r}, but the sentence is complete after word {place - 1}"
        found = next((choice for choice in possible if choice.word == word), None)
        if found is None:
            expected = _either([choice.word for choice in possible])
            return f"word {place} is {word!r}, but after {_said(words[: place - 1])} comes {expected}"
        state = found.state
    if possible := choices(state):
        return (
            f"the sentence is not complete: after {_said(words)} comes {_either([c.word for c in possible])}"
        )
    return None


def _draw(random: Random) -> Sentence:
    state, words = State(), list[str]()
    while possible := choices(state):
        left = random.random()
        for choice in possible:
            left -= choice.probability
            if left < 0:
                break
        words.append(choice.word)
        state = choice.state
    return tuple(words)


def _said(words: Sequence[str]) -> str:
    return f"“{' '.join(words)}”" if words else "nothing"


def _either(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
