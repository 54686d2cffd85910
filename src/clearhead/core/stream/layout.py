"""How a square is cut: into bins for its picture, into blocks for the pass, and distances into classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

BINS = 256
"""Bins along each side of a pooled square, at most, where no other number is asked for."""

WIDTH = 256
"""Queries of a block. A product with so many columns runs at the speed of the machine, and a block of scores stays in
the cache while it is looked at."""

KEYS_AT_ONCE = 1024
"""Keys of a block, about."""

SUMMED_AT_ONCE = 128
"""Keys whose weights are added up in the format of the numbers, before float64 takes over."""

SINGLE = 16
"""Distances below this have a class each."""

IN_AN_OCTAVE = 4
"""Classes from one power of two to the next, beyond."""


def starts(length: int, parts: int) -> np.ndarray:
    """(bins + 1,) where each of min(parts, length) bins begins, as equally long as can be, and where the last ends."""
    count = min(parts, length)
    return np.arange(count + 1) * length // max(count, 1)


def distance_edges(queries: int, keys: int, back_only: bool) -> np.ndarray:
    """(classes + 1,) the edges of the classes of distances query − key, ascending; negative ones lie ahead.

    Args:
        queries: how many there are.
        keys: how many there are.
        back_only: no query sees a key after itself.
    """
    back = _one_way(queries)
    if back_only:
        return back
    return np.concatenate([1 - _one_way(keys)[:1:-1], back])


def _one_way(length: int) -> np.ndarray:
    """Edges from 0 to at least `length`: 0, 1, 2 ..., then growing by the same factor."""
    edges = list(range(min(SINGLE, length) + 1))
    step = SINGLE // IN_AN_OCTAVE
    while edges[-1] < length:
        edges += [edges[-1] + step * turn for turn in range(1, IN_AN_OCTAVE + 1)]
        step *= 2
    last = next(place for place, edge in enumerate(edges) if edge >= length)
    return np.array(edges[: last + 1], dtype=np.int64)


@dataclass(frozen=True)
class Chunk:
    """Some keys that a block of queries looks at together.

    Attributes:
        begin: the first key.
        end: the key after the last.
        edges: (segments + 1,) where each of its segments begins, from `begin` to `end`; a segment lies in one bin.
        bins: (segments,) the bin of each.
        whole: whether every query of the block sees all of these keys.
    """

    begin: int
    end: int
    edges: np.ndarray
    bins: np.ndarray
    whole: bool


def cuts_of(edges: np.ndarray) -> np.ndarray:
    """Where the keys are cut into segments: at the edges of bins, and where too much would be added up otherwise."""
    return np.unique(np.concatenate([np.arange(0, edges[-1], SUMMED_AT_ONCE), edges]))


def chunks(
    first: np.ndarray, after: np.ndarray, edges: np.ndarray, cuts: np.ndarray, gaps: bool
) -> Iterator[Chunk]:
    """The keys that a block of queries sees, cut into chunks; what none of them sees is left out.

    Args:
        first: (queries,) the first key of each.
        after: (queries,) the key after the last of each.
        edges: (bins + 1,) where the bins of the keys begin.
        cuts: see `cuts_of`.
        gaps: whether a query may not see some of the keys between.
    """
    sees = after > first
    if not sees.any():
        return
    low, high = int(first[sees].min()), int(after.max())
    common = (int(first.max()), int(after.min())) if sees.all() and not gaps else (0, 0)
    inside = cuts[cuts.searchsorted(low, side="right") : cuts.searchsorted(high)]
    cuts = np.concatenate([[low], inside, [high]])
    bins = edges.searchsorted(cuts[:-1], side="right") - 1
    begin = 0
    while begin < len(cuts) - 1:
        far = int(cuts.searchsorted(cuts[begin] + KEYS_AT_ONCE, side="right")) - 1
        end = max(begin + 1, far)
        start, stop = int(cuts[begin]), int(cuts[end])
        whole = common[0] <= start and stop <= common[1]
        yield Chunk(start, stop, cuts[begin : end + 1], bins[begin:end], whole)
        begin = end
