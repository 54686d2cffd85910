"""The overview of a layer: every head of it in one pass, several at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

import numpy as np

from clearhead.core.stream import Question, Streamed, distance_edges, stream_head
from clearhead.core.stream.layout import BINS, WIDTH
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.overview import ROWS, LayerOverview
from clearhead.trace.capture.positions import Positions
from clearhead.trace.capture.questions import Seen, question_of
from clearhead.trace.capture.recompute import rows_of
from clearhead.trace.capture.threads import one_thread

Rows = dict[str, np.ndarray]


def layer_overview(
    attention: Attention,
    positions: Sequence[Positions],
    bins: int = BINS,
    *,
    threads: int | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> LayerOverview:
    """One pass over every head of a layer; nothing of the size of queries times keys is ever made.

    Args:
        attention: the layer.
        positions: what its queries and keys are, for each sequence.
        bins: bins along each side of the pooled squares, at most.
        threads: how many heads are worked on at a time; None: as many as there are processors, or as the variable
            OMP_NUM_THREADS says.
        tell: called with the heads that are done and how many there are.
    """
    shape = (attention.sequences, attention.heads)
    edges = _edges(attention, positions)
    places = [(batch, head) for batch in range(shape[0]) for head in range(shape[1])]
    rows: dict[str, np.ndarray] = {}
    whole: dict[str, np.ndarray] = {}

    def one(place: tuple[int, int]) -> tuple[tuple[int, int], Streamed, Rows]:
        return place, *_of_head(attention, *place, positions[place[0]], bins, edges)

    done = 0
    with one_thread(), ThreadPoolExecutor(threads or _processors()) as pool:
        try:
            for finished in as_completed([pool.submit(one, place) for place in places]):
                place, found, of_rows = finished.result()
                done += 1
                _put(whole, shape, place, {"lse": found.lse, "mean": found.mean, "largest": found.largest,
                                           "histogram": found.histogram})  # fmt: skip
                _put(rows, shape, place, of_rows)
                if tell is not None:
                    tell(done, len(places))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return LayerOverview(rows=rows, edges=edges, **whole)


def _processors() -> int:
    """How many heads are worked on at a time: as many as OMP_NUM_THREADS says, as for all numerical programs."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _put(into: dict[str, np.ndarray], shape: tuple[int, int], place: tuple[int, int], found: Rows) -> None:
    for name, values in found.items():
        if name not in into:
            into[name] = np.empty((*shape, *values.shape), values.dtype)
        into[name][place] = values


def _edges(attention: Attention, positions: Sequence[Positions]) -> np.ndarray:
    """The classes of distances, the same for every head of the layer."""
    if not positions[0].own:
        return np.zeros(1, dtype=np.int64)
    place = np.arange(1, attention.queries + 1)
    patterns = {id(one): one for of_heads in attention.visible.patterns for one in of_heads}
    back_only = all((Seen.of(one).after <= place).all() for one in patterns.values())
    back_only &= all(key <= query for _, query, key, _ in attention.weights_set)
    return distance_edges(attention.queries, attention.keys, back_only)


def _of_head(
    attention: Attention, batch: int, head: int, positions: Positions, bins: int, edges: np.ndarray
) -> tuple[Streamed, Rows]:
    """The pass over one head, and what is said of each of its rows."""
    seen = Seen.of(attention.visible.pattern(batch, head))
    question = question_of(
        attention, batch, head, seen, own=positions.own, words=positions.same, counted=positions.asked
    )
    found = stream_head(question, bins, edges if positions.own else None)
    nothing = np.full(attention.queries, np.nan)
    rows = dict.fromkeys(ROWS, nothing) | {"entropy": found.entropy}
    sink = attention.sink is not None
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.log2(np.maximum(1, seen.pattern.counts() + sink))
        rows["spread"] = np.where(most > 0, found.entropy / most, np.nan)
    if sink:
        rows["sink"] = found.taken
    if positions.own:
        rows["distance"] = found.away
        for name, values, step in (("duplicate", found.duplicate, 0), ("induction", found.induction, 1)):
            rows[name] = np.where(positions.visible(seen.pattern, step) > 0, values, np.nan)
    for name in ("first", "previous", "next"):
        rows[name] = _single(question, seen, positions.single(name), found.lse)
    _given_rows(attention, batch, head, question, positions, found.lse, rows)
    for name, values in rows.items():
        rows[name] = np.where(positions.asked & ~np.isnan(found.entropy), values, np.nan).astype(
            found.mean.dtype
        )
    return found, rows


def _single(question: Question, seen: Seen, keys: np.ndarray | None, lse: np.ndarray) -> np.ndarray:
    """(queries,) the weight of one cell of each row; NaN where it may not be seen."""
    found = np.full(question.queries, np.nan)
    if keys is None:
        return found
    inside = (keys >= 0) & (keys < question.keys)
    queries = np.flatnonzero(inside)
    queries = queries[seen.pattern.allows(queries, keys[queries])]
    with np.errstate(invalid="ignore", over="ignore"):
        found[queries] = np.exp(question.at(queries, keys[queries]) - lse[queries])
    return found


def _given_rows(
    attention: Attention,
    batch: int,
    head: int,
    question: Question,
    positions: Positions,
    lse: np.ndarray,
    rows: Rows,
) -> None:
    """Blocks with weights that were set by hand were passed over as they are; what is missing is put in."""
    for begin in {query // WIDTH * WIDTH for query, _, _ in attention.set_in(head)}:
        block = slice(begin, min(begin + WIDTH, attention.queries))
        found = rows_of(attention, batch, head, block)
        sink = -np.inf if attention.sink is None else float(attention.sink[head])
        lse[block] = np.where(
            found.blind, -np.inf, np.logaddexp(np.logaddexp.reduce(found.masked, axis=1), sink)
        )
        for name in ("first", "previous", "next"):
            keys = positions.single(name)
            for query in range(block.start, block.stop):
                if keys is not None and not np.isnan(rows[name][query]):
                    rows[name][query] = found.weights[query - begin, keys[query]]
