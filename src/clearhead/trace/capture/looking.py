"""Any part of a captured head's map, at any length: a row, its largest weights, a tile."""

from __future__ import annotations

import numpy as np

from clearhead.core.stream import pool_part
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
    return pool_part(question, logs, step, pool).astype(np.float32)
