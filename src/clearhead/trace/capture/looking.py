"""Any part of a captured head's map, at any length: a row, its largest weights, a tile."""

from __future__ import annotations

import numpy as np

from clearhead.core.stream import Question
from clearhead.core.stream.arrays import library
from clearhead.core.stream.layout import KEYS_AT_ONCE, WIDTH
from clearhead.core.stream.question import HIDDEN, LOG2E
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.held import Held
from clearhead.trace.capture.questions import Seen, question_of
from clearhead.trace.capture.recompute import rows_of
from clearhead.trace.capture.threads import one_thread

POOLS = ("mean", "largest")


@one_thread()
def row_of(attention: Attention, batch: int, head: int, query: int) -> np.ndarray:
    """(keys,) float64 the weights of one query, worked out anew from its own scores."""
    found = rows_of(attention, batch, head, slice(query, query + 1), trim=True)
    row = np.zeros(attention.keys)
    row[found.keys] = found.weights[0]
    return row


def strongest(row: np.ndarray, count: int) -> list[tuple[int, float]]:
    """The largest weights of a row as (key, weight), the largest first; of equal ones the first key first."""
    count = min(count, len(row))
    if count < 1:
        return []
    among = np.flatnonzero(row >= np.partition(row, len(row) - count)[len(row) - count])
    ordered = sorted(((int(key), float(row[key])) for key in among), key=lambda pair: (-pair[1], pair[0]))
    return ordered[:count]


@one_thread()
@np.errstate(over="ignore", invalid="ignore")  # rows of such numbers are NaN
def tile_of(
    attention: Attention,
    batch: int,
    head: int,
    queries: slice,
    keys: slice,
    lse: Held,
    step: int = 1,
    pool: str = "mean",
) -> np.ndarray:
    """(queries / step, keys / step) float32 the weights of a part of a head, pooled.

    Args:
        attention: the layer.
        batch: the sequence.
        head: the query head.
        queries: the rows, a slice without a step.
        keys: the columns, likewise.
        lse: (sequences, heads, queries) the log-sum-exp of the rows.
        step: so many rows and columns become one number; the last may be of fewer.
        pool: "mean" or "largest" of them. −1 where the mask hides all of them; NaN where one of them is.

    Raises:
        ValueError: the step or the way of pooling cannot be.
    """
    if pool not in POOLS:
        raise ValueError(f"pool: {pool!r} is not known; expected one of {', '.join(POOLS)}")
    if isinstance(step, bool) or not isinstance(step, int) or step < 1:
        raise ValueError(f"step: expected a whole number from 1, got {step!r}")
    rows, columns = slice(*queries.indices(attention.queries)), slice(*keys.indices(attention.keys))
    seen = Seen.of(attention.visible.pattern(batch, head))
    question = question_of(attention, batch, head, seen, rows, columns)
    logs = np.asarray(lse[batch, head, rows], dtype=np.float64)
    tile = _Tile(question, step, pool)
    for block in _pieces(question.queries, WIDTH):
        first, after = question.first[block], question.after[block]
        low, high = int(first.min()), int(after.max())
        if question.given is not None and (weights := question.given(block)) is not None:
            part = slice(0, question.keys)
            visible = _within_span(question, block, part)
            if question.seen is not None:
                visible &= question.seen(block, part).T
            tile.add(block, part, weights.T, visible | (weights.T != 0))
            continue
        asked = question.scaled(block, block.stop - block.start) if high > low else None
        for part in _pieces(question.keys, KEYS_AT_ONCE) if high > low else ():
            if part.stop > low and part.start < high:
                tile.add(block, part, *_weights(question, block, part, asked, logs[block]))
    return tile.done()


def _pieces(length: int, size: int) -> list[slice]:
    return [slice(begin, min(begin + size, length)) for begin in range(0, length, size)]


def _weights(
    question: Question, block: slice, part: slice, asked: object, logs: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(keys, queries) some weights, and which of them may be seen."""
    arrays = library(question.query)
    room = arrays.empty((part.stop - part.start, block.stop - block.start), like=question.query)
    scores = arrays.to_numpy(question.scores(block, part, asked, room))
    visible = _within_span(question, block, part) & (scores != HIDDEN)
    logs = np.where(np.isneginf(logs), np.inf, logs * LOG2E)  # then no score is more than nothing either
    rounded = logs.astype(scores.dtype)
    scores -= rounded
    np.exp2(scores, out=scores)
    scores *= np.exp2(np.where(np.isinf(logs), 0, rounded - logs)).astype(scores.dtype)  # what rounding took
    return np.where(visible, scores, 0), visible


def _within_span(question: Question, block: slice, part: slice) -> np.ndarray:
    """Boolean (keys, queries): which keys lie between the first and the last that each query sees."""
    key = np.arange(part.start, part.stop)[:, None]
    return np.asarray((key >= question.first[block]) & (key < question.after[block]))


class _Tile:
    """Pools pieces of a part of a map."""

    def __init__(self, question: Question, step: int, pool: str) -> None:
        self._step, self._mean = step, pool == "mean"
        self._size = (question.queries, question.keys)
        shape = tuple(-(-length // step) for length in self._size)
        self._values, self._seen = np.zeros(shape), np.zeros(shape, dtype=bool)

    def add(self, block: slice, part: slice, weights: np.ndarray, visible: np.ndarray) -> None:
        """Add a piece, (keys, queries)."""
        place = tuple(
            slice(one.start // self._step, (one.stop - 1) // self._step + 1) for one in (block, part)
        )
        how = np.add if self._mean else np.maximum
        how(self._values[place], self._pooled(how, weights, block, part), out=self._values[place])
        self._seen[place] |= self._pooled(np.logical_or, visible, block, part)

    def _pooled(self, how: np.ufunc, cells: np.ndarray, block: slice, part: slice) -> np.ndarray:
        """(rows, columns) the cells of each bin taken together; along the first axis that is fast."""
        if self._step == 1:
            return cells.T
        rows, columns = (
            np.flatnonzero(np.diff(np.arange(one.start, one.stop) // self._step, prepend=-1))
            for one in (block, part)
        )
        narrow = how.reduceat(cells, columns, axis=0)
        return np.asarray(how.reduceat(np.ascontiguousarray(narrow.T), rows, axis=0))

    def done(self) -> np.ndarray:
        """The pooled part."""
        values = self._values
        if self._mean and self._step > 1:
            sizes = [
                np.minimum(self._step, length - np.arange(0, length, self._step)) for length in self._size
            ]
            values = values / np.outer(*sizes)
        return np.where(self._seen, values, -1).astype(np.float32)
