"""Which keys each query may see: a mask kept as runs of keys, row by row, never as a square of cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from clearhead.core.masks import mask_named
from clearhead.trace.capture.held import Held

ROWS_AT_ONCE = 256
"""Rows of a mask that are looked at together: what is needed beside the runs is so many rows of the square."""


@dataclass(frozen=True, eq=False)
class Runs:
    """The visible keys of every query as runs: `start <= key < end`.

    Attributes:
        keys: how many keys there are.
        row: (queries + 1,) where each query's runs begin in `start` and `end`; the last entry ends the last row.
        start: (runs,) the first key of each run.
        end: (runs,) the key after the last of each run.
    """

    keys: int
    row: np.ndarray
    start: np.ndarray
    end: np.ndarray

    @property
    def queries(self) -> int:
        """How many queries there are."""
        return len(self.row) - 1

    @staticmethod
    def of(blocks: Iterator[np.ndarray], keys: int) -> Runs:
        """The runs of a mask that comes in blocks of rows, boolean (rows, keys), True where a query may look."""
        counts, starts, ends = [np.zeros(1, np.int64)], [], []
        for block in blocks:
            edges = np.diff(np.pad(block.astype(np.int8), ((0, 0), (1, 1))), axis=1)
            query, start = np.nonzero(edges == 1)
            starts.append(start.astype(np.int32))
            ends.append(np.nonzero(edges == -1)[1].astype(np.int32))
            counts.append(np.bincount(query, minlength=len(block)))
        nothing = [np.zeros(0, np.int32)]
        row = np.cumsum(np.concatenate(counts))
        return Runs(keys, row, np.concatenate(starts or nothing), np.concatenate(ends or nothing))

    @staticmethod
    def of_table(table: np.ndarray) -> Runs:
        """The runs of a whole mask, boolean (queries, keys)."""
        parts = (table[first : first + ROWS_AT_ONCE] for first in range(0, len(table), ROWS_AT_ONCE))
        return Runs.of(parts, table.shape[1])

    def table(self, rows: slice = slice(None), keys: slice = slice(None)) -> np.ndarray:
        """Boolean (rows, keys): True where the query may see the key; slices of keys without a step."""
        begin, end, _ = keys.indices(self.keys)
        first, last = self.row[:-1][rows], self.row[1:][rows]
        counts = last - first
        # the runs of the chosen rows, one after the other, and the row of each
        place = np.repeat(np.arange(len(counts)), counts)
        runs = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts - first, counts)
        edges = np.zeros((len(counts), max(end - begin, 0) + 1), dtype=np.int8)
        for side, edge in ((1, self.start), (-1, self.end)):
            np.add.at(edges, (place, np.clip(edge[runs] - begin, 0, edges.shape[1] - 1)), side)
        return np.cumsum(edges, axis=1, dtype=np.int8)[:, :-1].astype(bool)

    def allows(self, queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """Boolean (cells,): whether each of these queries sees the key beside it; a key may lie outside."""
        if not len(self.start):
            return np.zeros(len(queries), dtype=bool)
        at = np.searchsorted(self._line, queries * np.int64(self.keys + 1) + keys, side="right") - 1
        return np.asarray((at >= self.row[queries]) & (keys < self.end[at]))

    @cached_property
    def _line(self) -> np.ndarray:
        """(runs,) where each begins if the rows stood one after the other, so that one search serves all rows."""
        row = np.repeat(np.arange(self.queries), np.diff(self.row))
        return np.asarray(row * np.int64(self.keys + 1) + self.start)

    def spans(self) -> tuple[np.ndarray, np.ndarray] | None:
        """(queries,) int32 each: the first key that a query sees and the key after the last; None if one has gaps.

        Where a query may see nothing, the two are the same.
        """
        counts = np.diff(self.row)
        if counts.max(initial=0) > 1:
            return None
        first, after = np.zeros((2, self.queries), dtype=np.int32)
        first[counts == 1], after[counts == 1] = self.start, self.end
        return first, after

    def counts(self) -> np.ndarray:
        """(queries,) how many keys each query sees."""
        edges = np.concatenate([[0], np.cumsum(self.end - self.start, dtype=np.int64)])
        return np.diff(edges[self.row])

    def moved(self, keys: int, by: int) -> Runs:
        """The same rows over more keys, `by` of which come before."""
        return Runs(keys, self.row, self.start + np.int32(by), self.end + np.int32(by))

    def then(self, below: Runs) -> Runs:
        """These rows, and those of another mask below them, over as many keys as the wider of the two."""
        row = np.concatenate([self.row, self.row[-1] + below.row[1:]])
        parts = [np.concatenate([self.start, below.start]), np.concatenate([self.end, below.end])]
        return Runs(max(self.keys, below.keys), row, *parts)

    def same_as(self, other: Runs) -> bool:
        """Whether both let every query see the same keys."""
        return self.keys == other.keys and all(
            np.array_equal(mine, theirs)
            for mine, theirs in ((self.row, other.row), (self.start, other.start), (self.end, other.end))
        )


class KeptRuns(Runs):
    """Runs that are kept elsewhere, such as in a file, and read when they are first looked at."""

    def __init__(self, keys: int, kept: Mapping[str, Held]) -> None:
        vars(self).update(keys=keys, _kept=kept)

    @cached_property
    def row(self) -> np.ndarray:
        """See `Runs`."""
        return self._read("row")

    @cached_property
    def start(self) -> np.ndarray:
        """See `Runs`."""
        return self._read("start")

    @cached_property
    def end(self) -> np.ndarray:
        """See `Runs`."""
        return self._read("end")

    def _read(self, part: str) -> np.ndarray:
        kept: Mapping[str, Held] = vars(self)["_kept"]
        return kept[part][...]


@dataclass(frozen=True)
class Named:
    """A mask that a name describes exactly; see `clearhead.core.masks.mask_named`."""

    name: str
    queries: int
    keys: int

    def table(self, rows: slice = slice(None), keys: slice = slice(None)) -> np.ndarray:
        """See `Runs.table`."""
        query, key = np.arange(self.queries)[rows][:, None], np.arange(self.keys)[keys][None, :]
        return np.broadcast_to(mask_named(self.name).allows(query, key), (len(query), key.shape[1]))

    def allows(self, queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """See `Runs.allows`."""
        return np.asarray(mask_named(self.name).allows(queries, keys) & (keys >= 0) & (keys < self.keys))

    def spans(self) -> tuple[np.ndarray, np.ndarray] | None:
        """See `Runs.spans`."""
        return mask_named(self.name).span(self.queries, self.keys)

    def counts(self) -> np.ndarray:
        """See `Runs.counts`."""
        spans = self.spans()
        return self.runs().counts() if spans is None else (spans[1] - spans[0]).astype(np.int64)

    def runs(self) -> Runs:
        """The same mask as runs."""
        return _runs_of(self)


@lru_cache(maxsize=16)
def _runs_of(pattern: Named) -> Runs:
    """Kept, because where there are gaps every cell of the square is looked at."""
    spans = pattern.spans()
    if spans is not None:
        first, after = spans
        sees = after > first
        row = np.concatenate([[0], np.cumsum(sees, dtype=np.int64)])
        return Runs(pattern.keys, row, first[sees], after[sees])
    edges = range(0, pattern.queries, ROWS_AT_ONCE)
    return Runs.of((pattern.table(slice(first, first + ROWS_AT_ONCE)) for first in edges), pattern.keys)


Pattern = Named | Runs
"""The mask of one sequence and head."""


@dataclass(frozen=True)
class Visible:
    """The masks of a layer: `patterns[sequence][head]`, where one stands for all if there is only one.

    A query that may see nothing has no run; its weights are 0 (see `clearhead.core.ops.softmax`).
    """

    patterns: tuple[tuple[Pattern, ...], ...]

    def pattern(self, batch: int, head: int) -> Pattern:
        """The mask of one sequence and head."""
        heads = self.patterns[batch if len(self.patterns) > 1 else 0]
        return heads[head if len(heads) > 1 else 0]

    def table(self, batch: int, head: int, rows: slice = slice(None)) -> np.ndarray:
        """Boolean (rows, keys): True where the query may see the key."""
        return self.pattern(batch, head).table(rows)
