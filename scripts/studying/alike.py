"""Whether words that are used alike have drifted together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from clearhead.sources.worked.study.model import NUMBERS, Model
from clearhead.sources.worked.study.words import LINKS, MEETINGS, NOUNS, PAIRS, PLURAL, THINGS, VOCABULARY

SHOWN = (("gold", "milk"), ("saw", "met"), ("king", "boy"), ("queen", "girl"), ("dogs", "cats"), ("king", "dogs"),
         ("and", "because"), ("gold", "saw"))  # fmt: skip
"""Pairs of words for the table: used alike, and not (the last, and partly king and dogs)."""


def groups() -> dict[str, tuple[str, ...]]:
    """Words that can stand for each other in the language: wherever one can be said, so can the others."""
    of_pronoun = {
        f"nouns of “{pronoun}”": tuple(noun for noun, own in NOUNS.items() if own == pronoun)
        for pronoun in dict.fromkeys(NOUNS.values())
    }
    return {
        "things": THINGS, "verbs in the past": MEETINGS, "links": LINKS, "pair-words": tuple(PAIRS), **of_pronoun,
        "verbs in the plural": tuple(PLURAL.values()),
    }  # fmt: skip


def drift(before: Model, after: Model) -> dict[str, Any]:
    """Cosines between embeddings before and after training: of pairs, of groups, and of all words."""
    first, last = _cosines(before), _cosines(after)
    everyone = list(combinations(range(len(VOCABULARY)), 2))
    return {
        "pairs": [{"words": list(pair), **_change(first, last, [_numbers(pair)])} for pair in SHOWN],
        "groups": [
            {
                "group": name,
                "words": list(words),
                **_change(first, last, list(combinations(_numbers(words), 2))),
            }
            for name, words in groups().items()
        ],
        "all words": _change(first, last, everyone),
    }


def _cosines(model: Model) -> np.ndarray:
    E = model.parameters["E"].astype(np.float64)
    unit = E / np.linalg.norm(E, axis=1, keepdims=True)
    return unit @ unit.T


def _numbers(words: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(NUMBERS[word] for word in words)


def _change(first: np.ndarray, last: np.ndarray, pairs: Sequence[tuple[int, ...]]) -> dict[str, float]:
    rows, columns = np.array(pairs).T
    return {"before": float(first[rows, columns].mean()), "after": float(last[rows, columns].mean())}
