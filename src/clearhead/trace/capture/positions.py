"""What the queries and keys of a layer are, as far as statistics of its heads ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clearhead.core.stream import Words
from clearhead.trace.capture.token import Token
from clearhead.trace.capture.visible import ROWS_AT_ONCE, Pattern


@dataclass(frozen=True, eq=False)
class Positions:
    """What the queries and keys of one sequence are.

    Attributes:
        asked: boolean (queries,): those that are not padding.
        first: the first key that is not padding, or None.
        own: whether queries and keys are the same tokens, so that "before" means something.
        words: (keys,) the token's number; −1 for padding, marks, and tokens whose number is not known.
    """

    asked: np.ndarray
    first: int | None
    own: bool
    words: np.ndarray

    @staticmethod
    def of(queries: Sequence[Token], keys: Sequence[Token], own: bool) -> Positions:
        """From the tokens. Marks have no likeness: those that stand for a picture's patches are all the same."""
        first = next((place for place, token in enumerate(keys) if not token.padding), None)
        words = [-1 if token.padding or token.special else token.id for token in keys]
        asked = np.array([not token.padding for token in queries], dtype=bool)
        return Positions(asked, first, own, np.array(words, dtype=np.int64))

    @cached_property
    def same(self) -> Words | None:
        """Where each word stood before; None where nothing stands before."""
        return Words.of(self.words) if self.own else None

    def single(self, name: str) -> np.ndarray | None:
        """(queries,) the key that "first", "previous" or "next" means; it may lie outside. None: there is none."""
        if name == "first":
            return None if self.first is None else np.full(len(self.asked), self.first)
        step = {"previous": -1, "next": 1}[name]
        return np.arange(len(self.asked)) + step if self.own else None

    def visible(self, pattern: Pattern, step: int) -> np.ndarray:
        """(queries,) how many keys each query sees that lie `step` after the same word before, and before itself."""
        place = (id(pattern), step)  # heads share their pattern, which is kept so that its id stays its own
        if place not in self._visible:
            self._visible[place] = pattern, self._count_visible(pattern, step)
        return self._visible[place][1]

    @cached_property
    def _visible(self) -> dict[tuple[int, int], tuple[Pattern, np.ndarray]]:
        return {}

    def _count_visible(self, pattern: Pattern, step: int) -> np.ndarray:
        assert self.same is not None  # asked only where it is
        spans = pattern.spans()
        if spans is not None:
            return self.same.visible(*spans, step)
        counts = np.zeros(len(self.asked), dtype=np.int64)
        for begin in range(0, len(counts), ROWS_AT_ONCE):
            rows = slice(begin, min(begin + ROWS_AT_ONCE, len(counts)))
            query, key = self.same.pairs(rows, slice(0, len(self.words)), step)
            seen = query[pattern.allows(query, key)]
            counts[rows] = np.bincount(seen - begin, minlength=rows.stop - begin)
        return counts
