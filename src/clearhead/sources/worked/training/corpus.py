"""The sentences a model is trained on, as rows of its embedding table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from clearhead.core.learning import Rows
from clearhead.sources.worked.matrices import ExampleError, shown
from clearhead.trace.nearest import meant, nearest


def read_corpus(corpus: Iterable[str | Sequence[str]], vocabulary: Sequence[str]) -> list[Rows]:
    """Each sentence as the rows of its words.

    Args:
        corpus: sentences: lists of words, or text that is split at its spaces. Empty ones are passed over.
        vocabulary: the words of the model, in the order of the rows of E.

    Raises:
        ExampleError: no sentence has two words, or a word is not in the vocabulary; it names sentence and word.
    """
    row_of = {word: row for row, word in enumerate(vocabulary)}
    sentences = [_rows(number, words, row_of) for number, words in enumerate(split(corpus))]
    long_enough = [sentence for sentence in sentences if len(sentence) > 1]
    if not long_enough:
        raise ExampleError(
            "corpus", "it has no sentence of two words or more; expected at least one, since the loss is about next "
            "words"
        )  # fmt: skip
    return long_enough


def split(corpus: Any) -> list[list[str]]:
    """The sentences as lists of words.

    Raises:
        ExampleError: something that is no sentence.
    """
    if isinstance(corpus, str):
        corpus = corpus.splitlines()
    try:
        if isinstance(corpus, bytes | bytearray):  # its items would be numbers
            raise TypeError
        sentences = list(corpus)
    except TypeError:
        raise ExampleError("corpus", f"expected sentences, got {shown(corpus)}") from None
    return [_words(number, sentence) for number, sentence in enumerate(sentences)]


def _words(number: int, sentence: Any) -> list[str]:
    words = sentence.split() if isinstance(sentence, str) else sentence
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        raise ExampleError(f"corpus, sentence {number}", f"expected words, got {shown(sentence)}")
    return list(words)


def _rows(number: int, words: list[str], row_of: dict[str, int]) -> Rows:
    for place, word in enumerate(words):
        if word not in row_of:
            hint = meant(map(repr, nearest(word, row_of)), "")
            none = f"{shown(word)} is none of the {len(row_of)} words that the model has a row of E for"
            raise ExampleError(
                f"corpus, sentence {number}, word {place}", "; ".join(filter(None, (none, hint.strip())))
            )
    return tuple(row_of[word] for word in words)
