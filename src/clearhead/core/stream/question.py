"""What a pass over one head is given, and the scores of a block of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearhead.core.stream.arrays import library
from clearhead.core.stream.layout import WIDTH
from clearhead.core.stream.words import Words

LOG2E = math.log2(math.e)

HIDDEN = -1e30
"""The score of a key that may not be seen: as good as −∞, and its difference from another one is a number."""

Table = Callable[[slice, slice], np.ndarray]


@dataclass(frozen=True, eq=False)
class Question:
    """One head, as it entered its dot product, and what is asked of it.

    Attributes:
        query: (queries, d_head) of NumPy or PyTorch, float32 or float64: everything is worked out in this format.
        key: (keys, d_head), of the same.
        scale: what the products are multiplied by.
        first: (queries,) whole numbers: the first key that each query sees.
        after: (queries,) the key after the last that it sees; the same as `first` where it sees none.
        seen: of some queries and keys a boolean (queries, keys): which may be seen, where there are gaps; else None.
        soft_cap: the bound of the scores, or None.
        added: of some queries and keys (queries, keys) what is added to the scaled scores, or None.
        sink: one more score of every row, which gives nothing; or None.
        given: of some queries (queries, keys) their weights, where they are not the softmax of the scores; or None.
        own: whether queries and keys are the same tokens, so that a distance means something.
        words: the words of the keys, or None: then nothing is asked about the same word before.
        counted: boolean (queries,): those whose weights count in the histogram; None: all.
    """

    query: Any
    key: Any
    scale: float
    first: np.ndarray
    after: np.ndarray
    seen: Table | None = None
    soft_cap: float | None = None
    added: Table | None = None
    sink: float | None = None
    given: Callable[[slice], np.ndarray | None] | None = None
    own: bool = True
    words: Words | None = None
    counted: np.ndarray | None = None

    @property
    def queries(self) -> int:
        """How many positions ask."""
        return int(self.query.shape[0])

    @property
    def keys(self) -> int:
        """How many positions are asked."""
        return int(self.key.shape[0])

    def scaled(self, rows: slice, width: int) -> Any:
        """(d_head, width) some queries, ready for the product with keys; in base 2 where nothing comes between.

        What is beyond the queries is 0.
        """
        arrays = library(self.query)
        block = self.query[rows] * (self.scale * (LOG2E if self._plain else 1.0))
        if len(block) < width:
            rest = arrays.zeros((width - len(block), block.shape[1]), like=block)
            block = arrays.joined([block, rest])
        return arrays.transposed(block)

    @property
    def _plain(self) -> bool:
        return self.soft_cap is None and self.added is None

    def scores(self, rows: slice, keys: slice, block: Any, out: Any) -> Any:
        """(keys, width) the scores of a block in base 2, in place in `out`; not masked but where there are gaps.

        Args:
            rows: the queries.
            keys: the keys.
            block: what `scaled` made of these queries.
            out: room for so many numbers.
        """
        arrays = library(out)
        arrays.product(self.key[keys], block, out)
        if not self._plain:
            if self.soft_cap is not None:
                out /= self.soft_cap
                arrays.tanh(out)
                out *= self.soft_cap
            if self.added is not None:
                count = rows.stop - rows.start
                out[:, :count] += arrays.like(self.added(rows, keys).T, out)
            out *= LOG2E
        if self.seen is not None:
            hidden = ~self.seen(rows, keys).T
            out[:, : rows.stop - rows.start][arrays.like(hidden, out, exact=True)] = HIDDEN
        return out

    def at(self, queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """(cells,) float64 the scaled scores, natural, of single cells; whether they may be seen is not asked."""
        arrays = library(self.query)
        scores = arrays.products(self.query, self.key, queries, keys) * self.scale
        if self.soft_cap is not None:
            scores = self.soft_cap * np.tanh(scores / self.soft_cap)
        if self.added is not None:
            for begin in range(0, len(queries), WIDTH):
                part = slice(begin, begin + WIDTH)
                scores[part] += self._added_to(queries[part], keys[part])
        return np.asarray(scores)

    def _added_to(self, queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """(cells,) what is added to some scores: from the part of the square that holds all of them."""
        assert self.added is not None  # asked only then
        top, left = int(queries.min()), int(keys.min())
        table = self.added(slice(top, int(queries.max()) + 1), slice(left, int(keys.max()) + 1))
        return np.asarray(table[0 if len(table) == 1 else queries - top, keys - left])
