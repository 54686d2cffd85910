"""What is summed over a block of scores, for each of its queries: the part of the pass that looks at every cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clearhead.core.stream.arrays import library
from clearhead.core.stream.layout import Chunk
from clearhead.core.stream.question import HIDDEN
from clearhead.core.stream.words import Words

NO_CLASSES = np.zeros((0, 0))


@dataclass(frozen=True, eq=False)
class Place:
    """Where a block lies, and what is asked of it.

    Attributes:
        rows: the queries.
        chunk: the keys.
        first: (queries,) the first key that each of them sees.
        after: (queries,) the key after the last.
        distances: (classes + 1,) the edges of the classes of distances, or None.
        words: see `Question`.
    """

    rows: slice
    chunk: Chunk
    first: np.ndarray
    after: np.ndarray
    distances: np.ndarray | None
    words: Words | None

    def classes(self) -> slice:
        """The classes that the distances of this block lie in."""
        assert self.distances is not None  # asked only where distances mean something
        nearest, furthest = self.rows.start - self.chunk.end + 1, self.rows.stop - 1 - self.chunk.begin
        low = int(self.distances.searchsorted(nearest, side="right")) - 1
        return slice(max(low, 0), int(self.distances.searchsorted(furthest, side="right")))


@dataclass(frozen=True, eq=False)
class Swept:
    """Sums over the keys of a block, for each query (width,), of e = 2^(score − largest).

    Attributes:
        table: (6, width) float64: the largest score, `HIDDEN` where nothing is seen; the sum of e; of e (score −
            largest); of e |query − key|; of e over the cells of the same word before; over those of what followed it.
        sums: (segments, width) of e over each segment.
        peaks: (segments, width) the largest e of each segment.
        among: the classes of distances that the block's lie in, see `Place.classes`; None if nothing is asked of them.
        classes: (classes, width) of e over the cells whose distance is of each of those classes.
    """

    table: np.ndarray
    sums: np.ndarray
    peaks: np.ndarray
    among: slice | None
    classes: np.ndarray


def sweep(scores: Any, place: Place) -> Swept:
    """Look at a block of scores, (keys, width) in base 2, which are written over.

    This is for any arrays and any format; `compiled.sweep` is the same in one go over each row.
    """
    arrays = library(scores)
    keys, width = scores.shape
    count = place.rows.stop - place.rows.start
    arrays.at_least(scores, HIDDEN)  # −∞ less −∞ would be no number
    if not place.chunk.whole or count < width:
        _hide(scores, place, count)
    largest = arrays.to_numpy(scores.max(0) if isinstance(scores, np.ndarray) else scores.amax(0))
    scores -= arrays.like(largest, scores)
    logs = arrays.empty((keys, width), like=scores)
    logs[:] = scores
    arrays.exp2(scores)
    logs *= scores
    return _summed(scores, place, largest, arrays.to_numpy(arrays.summed(logs)))


def sweep_weights(weights: np.ndarray, place: Place, sees: np.ndarray) -> Swept:
    """Look at weights, (keys, queries), that are no softmax of scores: as they are, so that the largest score is 0.

    Args:
        weights: any numbers.
        place: where they lie.
        sees: boolean (queries,): which queries see anything at all.
    """
    largest = np.where(sees | (weights != 0).any(0), 0.0, HIDDEN)
    largest[~np.isfinite(weights).all(0)] = np.nan  # as a row of scores that are not finite
    logs = weights * np.log2(np.maximum(weights, np.finfo(np.float64).tiny))
    return _summed(weights, place, largest, logs.sum(0))


def _summed(scores: Any, place: Place, largest: np.ndarray, logs: np.ndarray) -> Swept:
    """The other sums, of scores that have become e."""
    arrays, width = library(scores), scores.shape[1]
    total = arrays.to_numpy(arrays.summed(scores))
    sums, peaks = arrays.of_segments(scores, place.chunk.edges - place.chunk.begin)
    away, among, classes = np.zeros(width), None, NO_CLASSES
    if place.distances is not None:
        among = place.classes()
        away, classes = _distances(scores, place, among, width)
    duplicate, induction = (_same(scores, place, width, step) for step in (0, 1))
    table = np.stack([largest, total, logs, away, duplicate, induction]).astype(np.float64)
    return Swept(table, sums, peaks, among, classes)


def _hide(scores: Any, place: Place, count: int) -> None:
    """Keys outside what a query sees, and queries that there are not."""
    arrays = library(scores)
    key = np.arange(place.chunk.begin, place.chunk.end)[:, None]
    hidden = np.ones(scores.shape, dtype=bool)
    hidden[:, :count] = (key < place.first) | (key >= place.after)
    scores[arrays.like(hidden, scores, exact=True)] = HIDDEN


def _distances(scores: Any, place: Place, among: slice, width: int) -> tuple[np.ndarray, np.ndarray]:
    """The sums of e |query − key| and over each class, from the sums of e up to each key."""
    assert place.distances is not None
    arrays = library(scores)
    edges = place.distances[among.start : among.stop + 1]
    running = arrays.running(scores)
    # the keys whose distance is at least an edge are those up to query − edge
    query = np.arange(place.rows.start, place.rows.start + width)
    up_to = np.clip(query[None, :] - edges[:, None] + 1 - place.chunk.begin, 0, scores.shape[0])
    taken = np.maximum(up_to - 1, 0)
    index = (
        arrays.like(taken, scores, exact=True),
        arrays.like(np.arange(width)[None, :], scores, exact=True),
    )
    reached = np.where(up_to > 0, arrays.to_numpy(running[index]), 0.0)
    key = np.arange(place.chunk.begin, place.chunk.end)[:, None]
    scores_away = scores * arrays.like(np.abs(query[None, :] - key), scores)
    return arrays.to_numpy(arrays.summed(scores_away)), reached[:-1] - reached[1:]


def _same(scores: Any, place: Place, width: int, step: int) -> np.ndarray:
    """The sum over the cells `step` after the same word before."""
    if place.words is None:
        return np.zeros(width)
    query, key = place.words.pairs(place.rows, slice(place.chunk.begin, place.chunk.end), step)
    arrays = library(scores)
    row, column = key - place.chunk.begin, query - place.rows.start
    cells = scores[arrays.like(row, scores, exact=True), arrays.like(column, scores, exact=True)]
    return np.bincount(column, arrays.to_numpy(cells), width)
