"""A part of a head, pooled, from the log-sum-exp of its rows: nothing outside of the part is looked at."""

from __future__ import annotations

import numpy as np

from clearhead.core.stream.head import blocks_of, ways_for
from clearhead.core.stream.layout import cuts_of
from clearhead.core.stream.pooled import Pooled
from clearhead.core.stream.question import LOG2E, Question


@np.errstate(over="ignore", invalid="ignore")  # rows of such numbers are NaN
def pool_part(question: Question, lse: np.ndarray, step: int, pool: str) -> np.ndarray:
    """(queries / step, keys / step) the weights of a part of a head, pooled.

    Args:
        question: the part.
        lse: (queries,) the log-sum-exp of each row, over all of its keys.
        step: so many rows and columns become one number; the last may be of fewer.
        pool: "mean" or "largest" of them; −1 where the mask hides all of them, NaN where one of them is.
    """
    rows, columns = (np.append(np.arange(0, size, step), size) for size in (question.queries, question.keys))
    look, pooling = ways_for(question)
    found = Pooled(rows, columns, question.query, pooling)
    seen, broken = np.zeros((2, *found.sums.shape), dtype=bool)
    cuts = cuts_of(columns)
    for block, parts, swept, given in blocks_of(question, (columns, cuts), None, look):
        logs = np.where(np.isnan(lse[block]), np.nan, 0.0) if given else lse[block] * LOG2E
        visible = _seen(question, block, columns)
        if given:
            assert question.given is not None  # it gave them
            visible |= np.logical_or.reduceat(question.given(block) != 0, columns[:-1], axis=1)
        into = slice(block.start // step, (block.stop - 1) // step + 1)
        seen[into] |= _by_bin(visible, block, step)
        if np.isnan(logs).any():
            broken[into] |= _by_bin(visible & np.isnan(logs)[:, None], block, step)
        if parts:
            largest = np.stack([one.table[0, : len(logs)] for one in swept])
            found.add(block, parts, swept, np.where(np.isfinite(logs), np.exp2(largest - logs), 0.0))
    values = found.mean if pool == "mean" else found.largest
    return np.asarray(np.where(seen, np.where(broken, np.nan, values), -1))


def _by_bin(queries: np.ndarray, block: slice, step: int) -> np.ndarray:
    """Boolean (bins, keys): whether it is so of any query of each bin."""
    if step == 1:
        return queries
    begins = np.flatnonzero(np.diff(np.arange(block.start, block.stop) // step, prepend=-1))
    return np.asarray(np.logical_or.reduceat(queries, begins, axis=0))


def _seen(question: Question, block: slice, columns: np.ndarray) -> np.ndarray:
    """Boolean (queries, bins): whether a query sees a key of each bin."""
    first, after = question.first[block, None], question.after[block, None]
    within = (first < columns[1:]) & (after > columns[:-1]) & (after > first)
    if question.seen is None:
        return np.asarray(within)
    table = question.seen(block, slice(0, question.keys))
    return np.asarray(within & np.logical_or.reduceat(table, columns[:-1], axis=1))
