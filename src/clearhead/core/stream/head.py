"""One head in one pass: blocks of queries by blocks of keys, and what is left of them.

The softmax of a row is worked out as it goes (Milakov and Gimelshein 2018, Online normalizer calculation for softmax;
Dao et al. 2022, FlashAttention, section 3.1), but nothing is scaled anew on the way: every block keeps its sums
relative to its own largest score, and they are put together when the row is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from clearhead.core.stream.arrays import library
from clearhead.core.stream.block import Place, Swept, sweep, sweep_weights
from clearhead.core.stream.layout import (
    BINS,
    KEYS_AT_ONCE,
    WIDTH,
    Chunk,
    chunks,
    cuts_of,
    distance_edges,
    starts,
)
from clearhead.core.stream.pooled import Pooling, pool
from clearhead.core.stream.question import Question
from clearhead.core.stream.streamed import Gathered, Streamed

Sweep = Callable[[Any, Place], Swept]


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # rows of such numbers become NaN
def stream_head(question: Question, bins: int = BINS, distances: np.ndarray | None = None) -> Streamed:
    """One pass over a head.

    Memory is of the order of (queries + keys) d_head + bins², whatever the length. In float32 every number is what
    float64 gives to about 1e-6 of its size, or of 1 where it is smaller.

    Args:
        question: the head.
        bins: bins along each side of the pooled squares, at most; a shorter side has a bin for each position.
        distances: the edges of the classes of distances, see `distance_edges`; None: those of that function.

    Returns:
        What is left of it.
    """
    rows, columns = starts(question.queries, bins), starts(question.keys, bins)
    if distances is None and question.own:
        distances = distance_edges(question.queries, question.keys, _back_only(question))
    look, pooling = ways_for(question)
    found = Gathered(question, rows, columns, distances if question.own else None, pooling)
    cut = (columns, cuts_of(columns))
    for block, parts, swept, given in blocks_of(question, cut, found.distances, look):
        found.add(block, parts, swept, given)
    return found.done()


def _back_only(question: Question) -> bool:
    return bool((question.after <= np.arange(1, question.queries + 1)).all())


def ways_for(question: Question) -> tuple[Sweep, Pooling]:
    """The compiled ways where they are there and the numbers are of their format; else those for any arrays."""
    if (
        isinstance(question.query, np.ndarray)
        and question.query.dtype == np.float32
        and question.given is None
    ):
        return compiled_ways() or (sweep, pool)
    return sweep, pool


@cache
def compiled_ways() -> tuple[Sweep, Pooling] | None:
    """The compiled sweep and pooling, or None where Numba is not installed or does not run."""
    try:
        from clearhead.core.stream import compiled
    except (ImportError, RuntimeError):  # the latter where there is no folder to keep what was compiled
        return None
    return compiled.sweep, compiled.pool


def blocks_of(
    question: Question, columns: tuple[np.ndarray, np.ndarray], distances: np.ndarray | None, look: Sweep
) -> Iterator[tuple[slice, list[Chunk], list[Swept], bool]]:
    """Some queries after others: which, their keys, the sums of each, and whether their weights are given."""
    room = library(question.query).empty((KEYS_AT_ONCE + 1, WIDTH), like=question.query)
    for begin in range(0, question.queries, WIDTH):
        block = slice(begin, min(begin + WIDTH, question.queries))
        yield block, *_swept(question, block, columns, distances, room, look)


def _swept(
    question: Question,
    block: slice,
    columns: tuple[np.ndarray, np.ndarray],
    distances: np.ndarray | None,
    room: Any,
    look: Sweep,
) -> tuple[list[Chunk], list[Swept], bool]:
    """The blocks of some queries, and whether their rows are given and need no softmax."""
    first, after = question.first[block], question.after[block]
    weights = None if question.given is None else question.given(block)
    if weights is not None:
        return *_of_weights(question, block, weights, columns, distances), True
    asked = question.scaled(block, WIDTH)
    found: tuple[list[Chunk], list[Swept]] = ([], [])
    for chunk in chunks(first, after, *columns, question.seen is not None):
        if chunk.end - chunk.begin > len(room):
            raise AssertionError("a chunk is no longer than the room for it")
        scores = question.scores(block, slice(chunk.begin, chunk.end), asked, room[: chunk.end - chunk.begin])
        found[0].append(chunk)
        found[1].append(look(scores, Place(block, chunk, first, after, distances, question.words)))
    return *found, False


def _of_weights(
    question: Question,
    block: slice,
    weights: np.ndarray,
    columns: tuple[np.ndarray, np.ndarray],
    distances: np.ndarray | None,
) -> tuple[list[Chunk], list[Swept]]:
    """The blocks of some queries whose weights, (queries, keys), are given; one set by hand may lie anywhere."""
    sees = question.after[block] > question.first[block]
    every = np.zeros(len(weights), dtype=np.int64), np.full(len(weights), question.keys)
    parts = list(chunks(*every, *columns, gaps=False))
    places = [Place(block, chunk, *every, distances, question.words) for chunk in parts]
    return parts, [
        sweep_weights(weights[:, chunk.begin : chunk.end].T, place, sees)
        for chunk, place in zip(parts, places, strict=True)
    ]
