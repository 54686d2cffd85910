"""Where the same word stood before: of every position, without ever listing all pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Words:
    """The places of every word, for the questions "the same word before" and "what followed it then".

    Attributes:
        places: (known,) the positions whose word is known, those of each word together, ascending.
        begin: (positions,) where in `places` those of the same word begin.
        before: (positions,) how far in `places` those of the same word go that stand before this position.
    """

    places: np.ndarray
    begin: np.ndarray
    before: np.ndarray

    @staticmethod
    def of(words: np.ndarray) -> Words:
        """From the number of each position's word; below 0: not known, and like no other."""
        known = np.flatnonzero(words >= 0)
        places = known[np.argsort(words[known], kind="stable")].astype(np.int32)
        sorted_words = words[places]
        begin = np.zeros(len(words), dtype=np.int64)
        before = np.zeros(len(words), dtype=np.int64)
        begin[places] = np.searchsorted(sorted_words, sorted_words, side="left")
        before[places] = np.arange(len(places))
        return Words(places, begin, before)

    def pairs(self, queries: slice, keys: slice, step: int) -> tuple[np.ndarray, np.ndarray]:
        """(query, key) of the cells in a block that lie `step` after the same word before, and before the query."""
        asked = np.arange(queries.start, queries.stop)
        counts = self.before[queries] - self.begin[queries]
        query = np.repeat(asked, counts)
        offset = np.arange(len(query)) - np.repeat(np.cumsum(counts) - counts, counts)
        key = self.places[np.repeat(self.begin[queries], counts) + offset] + step
        inside = (key >= keys.start) & (key < keys.stop) & (key < query)
        return query[inside], key[inside]

    def visible(self, first: np.ndarray, after: np.ndarray, step: int) -> np.ndarray:
        """(positions,) how many such cells each query sees, if it sees the keys from `first` to before `after`."""
        length = len(self.begin)
        query = np.arange(length)
        of_word = np.full(length, -1, dtype=np.int64)
        of_word[self.places] = self.begin[self.places]
        # places are sorted by (word, position), so that one search serves all words
        line = of_word[self.places] * np.int64(length + 1) + self.places

        def up_to(position: np.ndarray) -> np.ndarray:
            return np.searchsorted(line, of_word * np.int64(length + 1) + np.clip(position, 0, length))

        last = np.minimum(after, query) - step
        count = up_to(last) - up_to(np.minimum(first.astype(np.int64) - step, last))
        return np.where(of_word < 0, 0, np.maximum(count, 0))
