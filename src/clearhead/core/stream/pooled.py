"""A square of weights made small: the sums and the maxima of its bins, put together from blocks of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from clearhead.core.stream.block import Swept
from clearhead.core.stream.layout import Chunk

Pooling = Callable[..., None]


class Pooled:
    """The bins of a head, or of a part of it.

    Attributes:
        sums: (bins, bins) float64 the weights of each bin, added up.
        largest: (bins, bins) the largest of each, in the format of the queries.
    """

    def __init__(self, rows: np.ndarray, columns: np.ndarray, query: Any, pooling: Pooling) -> None:
        """Empty bins.

        Args:
            rows: (bins + 1,) where those of the queries begin, and where the last ends.
            columns: (bins + 1,) the same of the keys.
            query: the queries, for their format.
            pooling: `pool`, or the compiled one.
        """
        self._rows, self._columns, self._pooling = rows, columns, pooling
        self._format = np.float64 if "float64" in str(query.dtype) else np.float32
        shape = (len(rows) - 1, len(columns) - 1)
        self._cells = shape == (rows[-1], columns[-1])  # every bin is one
        self.sums, self.largest = np.zeros(shape), np.zeros(shape, dtype=self._format)

    def add(self, block: slice, parts: list[Chunk], swept: list[Swept], factor: np.ndarray) -> None:
        """Add the segments of some queries to the bins that they lie in.

        Args:
            block: the queries.
            parts: the keys.
            swept: the sums of each.
            factor: (parts, queries) what they are multiplied by; 0 for a row that is left out.
        """
        here = self._rows.searchsorted(np.arange(block.start, block.stop), side="right") - 1
        begins = np.flatnonzero(np.diff(here, prepend=-1))
        rows, into = np.append(begins, len(here)), here[begins]
        for chunk, one, scale in zip(parts, swept, factor.astype(self._format), strict=True):
            if self._cells:
                place = np.s_[into[0] : into[-1] + 1, chunk.bins[0] : chunk.bins[-1] + 1]
                self.largest[place] = np.where(scale > 0, one.peaks[:, : len(scale)] * scale, 0.0).T
                self.sums[place] = self.largest[place]
                continue
            self._pooling(one.sums, one.peaks, scale, rows, into, chunk.bins, self.sums, self.largest)

    @property
    def mean(self) -> np.ndarray:
        """(bins, bins) the mean of each, in the format of the queries."""
        cells = np.outer(np.diff(self._rows), np.diff(self._columns))
        return (self.sums / cells).astype(self._format)


def pool(
    sums: np.ndarray, peaks: np.ndarray, scale: np.ndarray, rows: np.ndarray, into_rows: np.ndarray,
    bins: np.ndarray, total: np.ndarray, largest: np.ndarray,
) -> None:  # fmt: skip
    """See `compiled.pool`; for any format."""
    segments = np.flatnonzero(np.diff(bins, prepend=-1))
    place = np.ix_(into_rows, bins[segments])
    keep = scale > 0
    added, most = (
        _reduced(how, np.where(keep, cells[:, : len(scale)], 0.0) * scale, segments, rows[:-1])
        for how, cells in ((np.add, sums), (np.maximum, peaks))
    )
    total[place] += added
    largest[place] = np.maximum(largest[place], most)


def _reduced(how: np.ufunc, cells: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The transpose of (rows, columns), those of each part taken together; along the first axis that is fast."""
    if len(rows) < len(cells):
        cells = how.reduceat(cells, rows, axis=0)
    return np.asarray(how.reduceat(np.ascontiguousarray(cells.T), columns, axis=0))
