"""The sweep over a block in one go, compiled by Numba where it is installed: no compiler is needed on the machine.

Every loop goes over the queries of a row, whose numbers lie side by side, so that each becomes vector instructions. The
sums of a block lie in one array at fixed distances, so that the compiler sees that they do not overlap.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped, unused-ignore]
from numba.extending import intrinsic

from clearhead.core.stream.block import Place, Swept
from clearhead.core.stream.layout import WIDTH
from clearhead.core.stream.question import HIDDEN

F = np.float32
W = WIDTH
LOWEST = F(-126.0)
"""2^−126 is the smallest normal number of float32; what is below counts as 0."""

ROUNDING = F(12582912.0)
"""1.5 × 2^23: added and taken away again, it rounds to a whole number."""

# 2^x on [−1/2, 1/2]: the Taylor series of e^(x ln 2) up to x^7, whose error there is below 2^−25
LN2 = np.log(2.0)
C1, C2, C3, C4, C5, C6, C7 = (
    F(LN2**power / float(np.prod(np.arange(1.0, power + 1)))) for power in range(1, 8)
)

# the parts of the array of sums, each W wide
LARGEST, PLACE, TOTAL, PEAK, LOGS, AWAY = (part * W for part in range(6))
ONE, NONE, UNSEEN = F(1.0), F(0.0), F(HIDDEN)
NOTHING, EMPTY = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
NO_EDGES = np.zeros((0, W))

compiled: Any = numba.njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract", "nsz", "arcp"})
"""Numbers that are not finite stay so: no flag here lets the compiler assume that there are none."""


def _reinterpreted(context: Any, bits: Any) -> Any:
    """The float32 that has these 32 bits."""
    del context, bits

    def generated(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context, signature
        return builder.bitcast(arguments[0], ir.FloatType())

    return numba.types.float32(numba.types.int32), generated


_as_float: Any = intrinsic(_reinterpreted)


@compiled
def _row(scores, sums, key):  # type: ignore[no-untyped-def]
    """The scores of one key become e, and are added to the sums."""
    for i in range(W):
        x = scores[i] - sums[LARGEST + i]
        x = LOWEST if x < LOWEST else x  # NaN stays
        whole = (x + ROUNDING) - ROUNDING
        f = x - whole
        series = ((((((C7 * f + C6) * f + C5) * f + C4) * f + C3) * f + C2) * f + C1) * f + ONE
        e = series * _as_float((np.int32(whole) + np.int32(127)) << np.int32(23))
        e = NONE if x <= LOWEST else e
        scores[i] = e
        sums[TOTAL + i] += e
        sums[PEAK + i] = max(sums[PEAK + i], e)
        sums[LOGS + i] += e * x
        sums[AWAY + i] += e * abs(sums[PLACE + i] - key)


@compiled
def _largest(scores, begin, first, after, whole, sums):  # type: ignore[no-untyped-def]
    """Hide what a query may not see, and find the largest score of each."""
    for j in range(scores.shape[0]):
        row = scores[j]
        if not whole:
            for i in range(W):
                row[i] = row[i] if (first[i] <= begin + j) & (begin + j < after[i]) else UNSEEN
        for i in range(W):
            sums[LARGEST + i] = sums[LARGEST + i] if row[i] <= sums[LARGEST + i] else row[i]


@compiled
def _passed(j, offset, edges, out, sums, reached):  # type: ignore[no-untyped-def]
    """Before key j is added: the sums so far of the queries for which it is the first nearer than an edge.

    The keys at a distance of at least an edge are those up to query − edge. What lies in a class of distances is then
    the difference of two such sums, and no cell has to be looked at for it.
    """
    for place in range(len(edges)):
        i = j - offset + edges[place] - 1
        if i >= W:
            break
        if i >= 0:
            reached[place, i] = out[1, i] + sums[TOTAL + i]


@compiled
def _same_word(scores, begin, start, places, word, before, out):  # type: ignore[no-untyped-def]
    """Add up the cells of the same word before (row 4), and of what followed it then (row 5)."""
    keys = scores.shape[0]
    for i in range(len(word)):
        low, high = word[i], before[i]
        while low < high:  # the first place from `begin` − 1 on
            middle = (low + high) // 2
            if places[middle] < begin - 1:
                low = middle + 1
            else:
                high = middle
        for at in range(low, before[i]):
            j = places[at] - begin
            if j >= keys:
                break
            if j >= 0:
                out[4, i] += scores[j, i]
            if j + 1 < keys and places[at] + 1 < start + i:
                out[5, i] += scores[j + 1, i]


@compiled
def _sweep(  # type: ignore[no-untyped-def]
    scores, begin, start, first, after, whole, segments, edges, places, word, before, out, parts, reached
):
    sums = np.zeros(6 * W, np.float32)
    sums[LARGEST : LARGEST + W] = UNSEEN
    for i in range(W):
        sums[PLACE + i] = start + i - begin
    _largest(scores, begin, first, after, whole, sums)
    for segment in range(len(segments) - 1):
        sums[TOTAL:] = NONE
        for j in range(segments[segment] - begin, segments[segment + 1] - begin):
            _passed(j, start - begin, edges, out, sums, reached)
            _row(scores[j], sums, np.float32(j))
        for i in range(W):
            out[1, i] += sums[TOTAL + i]
            out[2, i] += sums[LOGS + i]
            out[3, i] += sums[AWAY + i]
            parts[0, segment, i] = sums[TOTAL + i]
            parts[1, segment, i] = sums[PEAK + i]
    for i in range(W):
        out[0, i] = sums[LARGEST + i]
    for place in range(len(edges)):
        for i in range(max(0, begin + len(scores) - start + edges[place] - 1), W):
            reached[place, i] = out[1, i]  # all of these keys are further away than the edge
    if len(places):
        _same_word(scores, begin, start, places, word, before, out)


def sweep(scores: np.ndarray, place: Place) -> Swept:
    """See `block.sweep`; the scores are float32, and `WIDTH` queries wide."""
    count, segments = place.rows.stop - place.rows.start, len(place.chunk.bins)
    first, after = np.zeros((2, W), dtype=np.int32)  # what is beyond the queries sees nothing
    first[:count], after[:count] = place.first, place.after
    out, parts = np.zeros((6, W)), np.empty((2, segments, W), np.float32)
    edges, among, reached = NOTHING, None, NO_EDGES
    if place.distances is not None:
        among = place.classes()
        edges = place.distances[among.start : among.stop + 1]
        reached = np.zeros((len(edges), W))
    words = place.words
    known = (
        (EMPTY, NOTHING, NOTHING)
        if words is None
        else (words.places, words.begin[place.rows], words.before[place.rows])
    )
    _sweep(
        scores, place.chunk.begin, place.rows.start, first, after, place.chunk.whole and count == W,
        place.chunk.edges, edges, *known, out, parts, reached,
    )  # fmt: skip
    classes = reached[:-1] - reached[1:]
    return Swept(out, parts[0], parts[1], among, classes)


@compiled
def pool(sums, peaks, scale, rows, into_rows, bins, total, largest):  # type: ignore[no-untyped-def]
    """Add the sums of a block to its bins, and take its maxima into theirs.

    Args:
        sums: (segments, width).
        peaks: (segments, width).
        scale: (queries,) what the sums of each query are multiplied by, 0 for one that is left out.
        rows: (parts + 1,) where the queries of each bin begin in the block.
        into_rows: (parts,) the bin of each.
        bins: (segments,) the bin of the keys of each segment.
        total: (bins, bins) float64.
        largest: (bins, bins).
    """
    for segment in range(len(bins)):
        column = bins[segment]
        for part in range(len(into_rows)):
            added, most = 0.0, NONE
            for i in range(rows[part], rows[part + 1]):
                if scale[i] > 0:
                    added += sums[segment, i] * scale[i]
                    most = max(most, peaks[segment, i] * scale[i])
            total[into_rows[part], column] += added
            largest[into_rows[part], column] = max(largest[into_rows[part], column], most)
