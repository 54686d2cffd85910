"""Where a pooled map shows nothing: the bins whose every cell the mask hides."""

from __future__ import annotations

import numpy as np

from clearhead.trace.capture.visible import Named, Pattern


def hidden_bins(pattern: Pattern, keys: int, rows: int, columns: int) -> np.ndarray:
    """Boolean (rows, columns): True where the mask hides all cells of a bin.

    Row r stands for the queries from floor(r * queries / rows) to before floor((r + 1) * queries / rows), and a column
    for keys likewise. Every run of visible keys is marked at the bins where it begins and ends, so the cost is that of
    the runs and of the bins, not of the square.

    Args:
        pattern: the mask.
        keys: how many keys there are.
        rows: bins down, at most one for each query.
        columns: bins across, at most one for each key.
    """
    runs = pattern.runs() if isinstance(pattern, Named) else pattern
    query = np.repeat(np.arange(runs.queries), np.diff(runs.row))
    row = _bin_of(query, runs.queries, rows)
    edges = np.zeros((rows, columns + 1), dtype=np.int64)
    np.add.at(edges, (row, _bin_of(runs.start, keys, columns)), 1)
    np.add.at(edges, (row, _bin_of(runs.end - 1, keys, columns) + 1), -1)
    return np.asarray(np.cumsum(edges, axis=1)[:, :-1] == 0)


def _bin_of(places: np.ndarray, length: int, bins: int) -> np.ndarray:
    """The bin of each place: the last r with floor(r * length / bins) <= place."""
    return ((places.astype(np.int64) + 1) * bins - 1) // max(length, 1)
