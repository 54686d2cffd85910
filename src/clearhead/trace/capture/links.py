"""The largest weights of a captured head, at any length, found by its pooled map."""

from __future__ import annotations

from collections.abc import Iterator
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

    Bins are looked into in the order of their pooled maximum, until no other one can hold a larger weight.

    Args:
        attention: the layer.
        batch: the sequence.
        head: the query head.
        overview: of the layer.
        count: how many.
        apart: only those whose query and key are at least so many positions from each other.
        without: a key whose weights do not count, or None.
    """
    largest = np.asarray(overview.largest[batch, head])
    rows, columns = starts(attention.queries, len(largest)), starts(attention.keys, largest.shape[1])
    found: list[Link] = []
    spare = 2 * count  # what is nearly as large in float32 may be larger
    for place in np.argsort(-largest, axis=None, kind="stable") if count > 0 else ():
        row, column = divmod(int(place), largest.shape[1])
        least = found[count - 1].weight * NEARLY if len(found) >= count else 0.0
        if largest[row, column] <= least:
            break
        queries, keys = slice(*rows[row : row + 2].tolist()), slice(*columns[column : column + 2].tolist())
        if max(abs(queries.start - keys.stop + 1), abs(queries.stop - 1 - keys.start)) < apart:
            continue
        more = _within(attention, batch, head, queries, keys, overview.lse, apart, without, least, spare)
        found = list(islice(merge(found, sorted(more, key=_order), key=_order), spare))
    return sorted(_exact(attention, batch, head, found), key=_order)[:count]


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
