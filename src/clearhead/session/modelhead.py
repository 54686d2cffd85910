"""One head of a model as a view: its map and how it computes, and its walkthrough."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from clearhead.lenses.compare import difference
from clearhead.lenses.overview import agreement_view, facts, hidden, sink_share, stream, token_views
from clearhead.lenses.statistics import SCORES
from clearhead.lenses.statistics import HeadStatistics as HeadRow
from clearhead.lenses.walkthrough import captured_walk
from clearhead.messages import Head, HeadStatistics, HeadWalk
from clearhead.session.contributed import contributed
from clearhead.session.modelstate import Chosen, position_of
from clearhead.session.view import View, sentence
from clearhead.trace.capture.agreement import LayerAgreement
from clearhead.trace.capture.overview import LayerOverview
from clearhead.trace.capture.recompute import rows_of
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace


def head_view(one: Chosen, overview: LayerOverview, agreement: LayerAgreement) -> View:
    """The map of a head, and how it computes."""
    layer, attention = one.layer, one.layer.attention
    assert attention is not None  # only such layers are chosen
    queries, keys = one.capture.tokens_of(layer, one.batch)
    rows = rows_of(attention, one.batch, one.head)
    buffers = [rows.weights, hidden(attention, one.batch, one.head)]
    added, note = contributed(one)
    data = Head(
        kind="head",
        tower=layer.tower,
        layer=layer.number,
        head=one.head,
        title=title_of(one),
        label=label_of(one),
        facts=facts(attention, one.batch, one.head),
        rows=stream(layer.rows),
        columns=stream(layer.columns),
        queries=token_views(queries),
        keys=token_views(keys),
        query_written=one.capture.written_from(layer.rows),
        key_written=one.capture.written_from(layer.columns),
        weights=0,
        hidden=1,
        contribution=_put(buffers, added),
        contribution_note=note,
        sink_share=_put(buffers, sink_share(attention, rows.weights)),
        blind=np.flatnonzero(rows.blind).tolist(),
        agreement=agreement_view(agreement),
        statistics=statistics_of(one, overview),
    )
    return View(data, buffers)


def label_of(one: Chosen) -> str:
    """How the head is called, such as "L3H1"."""
    return one.layer.named or f"{one.layer.label}H{one.head}"


def title_of(one: Chosen) -> str:
    """Its heading."""
    layer = one.layer
    if layer.named:
        return layer.named[0].upper() + layer.named[1:]
    return f"Layer {layer.number}, head {one.head}" + (f" ({layer.tower})" if layer.tower else "")


def _put(buffers: list[np.ndarray], array: np.ndarray | None) -> int | None:
    if array is None:
        return None
    buffers.append(array)
    return len(buffers) - 1


def statistics_of(one: Chosen, overview: LayerOverview) -> HeadStatistics:
    """The statistics of one head, from the overview of its layer."""
    scores = {name: overview.score(name, one.batch, one.head) for name in SCORES}
    return statistics_view(HeadRow(one.layer.tower, one.layer.number, one.head, **scores))


def statistics_view(one: HeadRow) -> HeadStatistics:
    """What one head does, as data; what is no number is null."""
    names = ("entropy", "first", "previous", "induction", "duplicate", "distance")
    entropy, first, previous, induction, duplicate, distance = (_finite(getattr(one, name)) for name in names)
    return HeadStatistics(
        tower=one.tower, layer=one.layer, head=one.head, entropy=entropy, first=first, previous=previous,
        induction=induction, duplicate=duplicate, distance=distance,
    )  # fmt: skip


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def walked_query(message: Mapping[str, Any], one: Chosen) -> int:
    """The query that the message names, or the last that is not padding."""
    queries, _ = one.capture.tokens_of(one.layer, one.batch)
    last = max((at for at, token in enumerate(queries) if not token.padding), default=len(queries) - 1)
    return position_of(message, "query", len(queries), last)


def walk_view(one: Chosen, query: int, trace: Trace, before: Trace | None) -> View:
    """The walkthrough of a head, folded around one query.

    Args:
        one: the head.
        query: the query.
        trace: the numbers of the head, or of this query alone.
        before: those without the changes, if there are some.
    """
    queries, keys = one.capture.tokens_of(one.layer, one.batch)
    views, stops, buffers = captured_walk(trace, query, None if before is None else _changed_since(before))
    data = HeadWalk(
        kind="headwalk",
        label=label_of(one),
        query=query,
        queries=[token.text for token in queries],
        keys=[token.text for token in keys],
        quantities=views,
        stops=stops,
        notices=_notices(one, trace, query),
    )
    return View(data, buffers)


def _changed_since(before: Trace) -> Callable[[Quantity], np.ndarray | None]:
    return lambda quantity: difference(quantity, before.get(quantity.name))


def _notices(one: Chosen, trace: Trace, query: int) -> list[str]:
    """What is to be said of the whole walkthrough."""
    attention = one.layer.attention
    assert attention is not None  # only such layers are chosen
    said = facts(attention, one.batch, one.head)
    if attention.sink is not None:
        share = 1 - float(trace["weights"].row(query).sum())
        said.append(f"Of the row of query {query} the sink takes {share:.1%}.")
    if below := one.layer.below.sentence:
        said.append(sentence(below))
    return said
