"""The largest weights of a captured head, at any length, found by its pooled map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import merge
from itertools import groupby, islice
from typing import NamedTuple

import numpy as np

from clearhead.core.stream import starts
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.held import Held
from clearhead.trace.capture.looking import row_of, tile_of
from clearhead.trace.capture.overview import LayerOverview

NEARLY = 1 - 1e-4
"""A pooled maximum in float32 may be this much below the weight itself; far more than rounding explains."""

ALIKE = 1 + 2e-6
"""Weights nearer to each other than this are the same to float32, in which each is off by up to half of it."""

MOST_ALIKE = 256
"""Bins of such weights that are looked into on the chance that one is larger in float64."""


class Link(NamedTuple):
    """One weight of a head."""

    query: int
    key: int
    weight: float


def links_of(
    attention: Attention,
    batch: int,
    head: int,
    overview: LayerOverview,
    count: int,
    apart: int = 0,
    without: int | None = None,
) -> list[Link]:
    """The largest weights of a head, the largest first; of equal ones the first query and key first.

    Bins are looked into in the order of their pooled maximum, until no other one can hold a weight that is larger, to
    float32. Of those whose maximum is the same to float32, which may be all of them, only some are looked into on the
    chance that one is larger in float64, and beyond those each in which a cell comes before the last that was found:
    the cells of any other come after it in reading order, so that they would lose to it if they are equal.

    Args:
        attention: the layer.
        batch: the sequence.
        head: the query head.
        overview: of the layer.
        count: how many.
        apart: only those whose query and key are at least so many positions from each other.
        without: a key whose weights do not count, or None.
    """
    if count < 1:
        return []
    search = _Search(attention, batch, head, overview, count, apart, without)
    order, looked = np.argsort(-search.largest, kind="stable"), 0
    while looked < len(order) and search.largest[order[looked]] > search.least * ALIKE:
        search.look(int(order[looked]))
        looked += 1
    alike = order[looked:][search.largest[order[looked:]] > search.least * NEARLY]
    for number, place in enumerate(np.sort(alike).tolist()):
        if number < MOST_ALIKE or search.begins_before_the_last(place):
            search.look(place)
    return sorted(_exact(attention, batch, head, search.found), key=_order)[:count]


@dataclass
class _Search:
    """What was found so far, in the bins that were looked into."""

    attention: Attention
    batch: int
    head: int
    overview: LayerOverview
    count: int
    apart: int
    without: int | None
    found: list[Link] = field(default_factory=list)

    def __post_init__(self) -> None:
        pooled = np.asarray(self.overview.largest[self.batch, self.head])
        self.largest = pooled.ravel().astype(np.float64)
        self._rows = starts(self.attention.queries, len(pooled)).tolist()
        self._columns = starts(self.attention.keys, pooled.shape[1]).tolist()

    @property
    def least(self) -> float:
        """The weight of the last of as many as are wanted; 0 if there are not so many."""
        return self.found[self.count - 1].weight if len(self.found) >= self.count else 0.0

    def begins_before_the_last(self, place: int) -> bool:
        """Whether the first cell of a bin comes before that one, in reading order."""
        queries, keys = self._slices(place)
        last = self.found[self.count - 1]
        return (queries.start, keys.start) < (last.query, last.key)

    def look(self, place: int) -> None:
        """Into a bin, if there are cells in it that may count, and if one of them may be large enough."""
        queries, keys = self._slices(place)
        furthest = max(abs(queries.start - keys.stop + 1), abs(queries.stop - 1 - keys.start))
        least = self.least * NEARLY
        if furthest < self.apart or self.largest[place] <= least:
            return
        spare = 2 * self.count  # what is nearly as large in float32 may be larger
        more = _within(
            self.attention, self.batch, self.head, queries, keys, self.overview.lse, self.apart, self.without,
            least, spare,
        )  # fmt: skip
        self.found = list(islice(merge(self.found, sorted(more, key=_order), key=_order), spare))

    def _slices(self, place: int) -> tuple[slice, slice]:
        row, column = divmod(place, len(self._columns) - 1)
        return slice(*self._rows[row : row + 2]), slice(*self._columns[column : column + 2])


def _exact(attention: Attention, batch: int, head: int, found: list[Link]) -> Iterator[Link]:
    """The same cells, their weights worked out anew in float64; one row at a time."""
    for query, of_row in groupby(sorted(found), key=lambda one: one.query):
        row = row_of(attention, batch, head, query)
        yield from (one._replace(weight=float(row[one.key])) for one in of_row)


def _order(link: Link) -> tuple[float, int, int]:
    return -link.weight, link.query, link.key


def _within(
    attention: Attention, batch: int, head: int, queries: slice, keys: slice, lse: Held, apart: int,
    without: int | None, least: float, count: int,
) -> list[Link]:  # fmt: skip
    """The weights of one bin that are large enough, and allowed."""
    tile = tile_of(attention, batch, head, queries, keys, lse)
    query, key = np.arange(queries.start, queries.stop)[:, None], np.arange(keys.start, keys.stop)
    width = len(key)
    allowed = np.abs(query - key) >= apart
    if without is not None:
        allowed &= key != without
    tile[~allowed] = -1
    among = np.flatnonzero(tile > least)
    if len(among) > count:
        among = among[np.argsort(-tile.flat[among], kind="stable")[:count]]
    return [
        Link(int(at // width) + queries.start, int(at % width) + keys.start, float(tile.flat[at]))
        for at in among
    ]
