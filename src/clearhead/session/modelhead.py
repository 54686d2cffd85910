"""One head of a model as a view: its map and how it computes, and its walkthrough."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from clearhead.lenses.compare import difference
from clearhead.lenses.overview import agreement_view, facts, hidden, sink_share, stream, token_views
from clearhead.lenses.statistics import HeadStatistics as HeadRow
from clearhead.lenses.statistics import head_statistics
from clearhead.lenses.walkthrough import captured_walk
from clearhead.messages import Head, HeadStatistics, HeadWalk
from clearhead.session.contributed import contributed
from clearhead.session.modelstate import Chosen, position_of
from clearhead.session.view import View, sentence
from clearhead.trace.capture.agreement import LayerAgreement
from clearhead.trace.capture.recompute import rows_of
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace


def head_view(one: Chosen, agreement: LayerAgreement) -> View:
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
        label=_label(one),
        facts=facts(attention, one.batch, one.head),
        rows=stream(layer.rows),
        columns=stream(layer.columns),
        queries=token_views(queries),
        keys=token_views(keys),
        weights=0,
        hidden=1,
        contribution=_put(buffers, added),
        contribution_note=note,
        sink_share=_put(buffers, sink_share(attention, rows.weights)),
        blind=np.flatnonzero(rows.blind).tolist(),
        agreement=agreement_view(agreement),
        statistics=_statistics_of(one),
    )
    return View(data, buffers)


def _label(one: Chosen) -> str:
    return f"{one.layer.label}H{one.head}"


def _put(buffers: list[np.ndarray], array: np.ndarray | None) -> int | None:
    if array is None:
        return None
    buffers.append(array)
    return len(buffers) - 1


def _statistics_of(one: Chosen) -> HeadStatistics | None:
    """The statistics of one head: those of its layer alone are worked out."""
    found = head_statistics(replace(one.capture, layers=(one.layer,)), batch=one.batch)
    return next((statistics_view(row) for row in found if row.head == one.head), None)


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


def walk_view(message: Mapping[str, Any], one: Chosen, trace: Trace, before: Trace | None) -> View:
    """The walkthrough of a head, folded around one query.

    Args:
        message: may name the query.
        one: the head.
        trace: its numbers.
        before: those without the changes, if there are some.
    """
    queries, keys = one.capture.tokens_of(one.layer, one.batch)
    last = max((at for at, token in enumerate(queries) if not token.padding), default=len(queries) - 1)
    query = position_of(message, "query", len(queries), last)
    views, stops, buffers = captured_walk(trace, query, None if before is None else _changed_since(before))
    data = HeadWalk(
        kind="headwalk",
        label=_label(one),
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
        share = 1 - float(trace["weights"].values[query].sum())
        said.append(f"Of the row of query {query} the sink takes {share:.1%}.")
    if below := one.layer.below.sentence:
        said.append(sentence(below))
    return said
