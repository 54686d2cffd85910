"""One head at any length: its pooled map, parts of it from near, one cell, and its strongest links."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from clearhead.core.masks import mask_named
from clearhead.lenses.overview import agreement_view, facts, stream
from clearhead.messages import KeyWeight, Link, Links, Look, Tile, Tops, Zoom
from clearhead.session.modelhead import label_of, statistics_of
from clearhead.session.modelstate import Chosen
from clearhead.session.view import View, flag, one_of, sentence, whole
from clearhead.sources.worked import ExampleError
from clearhead.trace.capture import looking
from clearhead.trace.capture.agreement import LayerAgreement
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.held import precise
from clearhead.trace.capture.hidden_bins import hidden_bins
from clearhead.trace.capture.links import links_of
from clearhead.trace.capture.overview import LayerOverview
from clearhead.trace.capture.recognised import recognised
from clearhead.trace.capture.recompute import rows_of
from clearhead.trace.capture.visible import Named

TILE_SIDE = 256
"""Bins along a side of a tile, at most."""

MOST_LINKS = 100
KEYS_NAMED = 8
"""Keys with the largest weights that are named of a row."""


def zoom_view(one: Chosen, overview: LayerOverview, agreement: LayerAgreement) -> View:
    """A head as a whole."""
    attention = attention_of(one)
    mean, largest = _pooled(one, attention, overview)
    data = Zoom(
        kind="zoom",
        label=label_of(one),
        tower=one.layer.tower,
        layer=one.layer.number,
        head=one.head,
        queries=attention.queries,
        keys=attention.keys,
        rows=stream(one.layer.rows),
        columns=stream(one.layer.columns),
        facts=facts(attention, one.batch, one.head),
        statistics=statistics_of(one, overview),
        agreement=agreement_view(agreement),
        mean=0,
        largest=1,
        edges=overview.edges.tolist(),
        histogram=np.nan_to_num(np.asarray(overview.histogram[one.batch, one.head])).tolist(),
        tops=Tops(mean=_top(mean), largest=_top(largest)),
    )
    return View(data, [mean, largest])


def _pooled(one: Chosen, attention: Attention, overview: LayerOverview) -> list[np.ndarray]:
    """Both maps, with −1 where all of a bin is hidden and nothing was set by hand there."""
    mean, largest = (
        np.array(pooled[one.batch, one.head], dtype=np.float32)
        for pooled in (overview.mean, overview.largest)
    )
    pattern = attention.visible.pattern(one.batch, one.head)
    nothing = hidden_bins(pattern, attention.keys, *largest.shape) & (largest == 0) & (mean == 0)
    for pooled in (mean, largest):
        pooled[nothing] = -1
    return [mean, largest]


def _top(pooled: np.ndarray) -> float:
    """The largest number; what is none counts for nothing."""
    return float(np.nan_to_num(pooled, nan=0.0, posinf=0.0, neginf=0.0).max(initial=0.0))


def tile_view(message: Mapping[str, Any], one: Chosen, overview: LayerOverview) -> View:
    """A part of the map, pooled into bins of `step` by `step` cells."""
    attention = attention_of(one)
    step = whole(message, "step", 1, max(attention.queries, attention.keys) * 2)
    if step & (step - 1):
        raise ExampleError("step", f"expected a power of two, got {step}")
    rows = _part(message, "rows", attention.queries, step)
    columns = _part(message, "columns", attention.keys, step)
    pool = one_of(message, "pool", ("mean", "largest"))
    values = looking.tile_of(attention, one.batch, one.head, rows, columns, overview.lse, step, pool)
    data = Tile(
        kind="tile", rows=[rows.start, rows.stop], columns=[columns.start, columns.stop], step=step, pool=pool,
        values=0,
    )  # fmt: skip
    return View(data, [values])


def _part(message: Mapping[str, Any], key: str, size: int, step: int) -> slice:
    """Places from the first to before the last, no more of them than a tile has room for."""
    value = message.get(key)
    first, end = value if isinstance(value, list) and len(value) == 2 else (0, 0)
    if not all(type(place) is int for place in (first, end)) or not 0 <= first < end <= size:
        raise ExampleError(key, f"expected two places a < b from 0 to {size}, got {value!r}")
    if end - first > TILE_SIDE * step:
        raise ExampleError(
            key, f"there are {end - first} places; expected at most {TILE_SIDE} bins of {step}"
        )
    return slice(first, end)


def look_view(message: Mapping[str, Any], one: Chosen) -> View:
    """One cell, worked out from its whole row."""
    attention = attention_of(one)
    query = whole(message, "query", 0, attention.queries - 1)
    key = whole(message, "key", 0, attention.keys - 1)
    row = rows_of(attention, one.batch, one.head, slice(query, query + 1))
    scores, weights = row.masked[0], row.weights[0]
    hidden = not bool(attention.visible.table(one.batch, one.head, slice(query, query + 1))[0, key])
    top = looking.strongest(np.nan_to_num(weights), KEYS_NAMED)
    data = Look(
        kind="look",
        query=query,
        key=key,
        weight=_finite(weights[key]),
        score=None if hidden else _finite(scores[key]),
        lse=_finite(_log_sum(scores, attention, one.head)),
        hidden=_why_hidden(attention, one, query, key) if hidden else "",
        entropy=_finite(_bits(weights, attention.sink is not None)),
        top=[KeyWeight(key=at, weight=weight) for at, weight in top if weight != 0],
    )
    return View(data)


def _log_sum(scores: np.ndarray, attention: Attention, head: int) -> float:
    """The natural logarithm of what the row is divided by, its sink included."""
    if attention.sink is not None:
        scores = np.append(scores, precise(attention.sink, head))
    top = scores.max()
    if not np.isfinite(top):
        return float(top)
    return float(top + np.log(np.exp(scores - top).sum()))


def _bits(weights: np.ndarray, sink: bool) -> float:
    shares = np.append(weights, max(0.0, 1.0 - weights.sum())) if sink else weights
    return float(-(shares * np.log2(shares, out=np.zeros_like(shares), where=shares > 0)).sum())


def _why_hidden(attention: Attention, one: Chosen, query: int, key: int) -> str:
    pattern = recognised(attention.visible.pattern(one.batch, one.head))
    why = mask_named(pattern.name).forbids(query, key) if isinstance(pattern, Named) else ""
    return sentence(why or f"the model's mask hides key {key} from query {query}")


def links_view(message: Mapping[str, Any], one: Chosen, overview: LayerOverview) -> View:
    """The strongest links of the head."""
    attention = attention_of(one)
    count = whole(message, "count", 1, MOST_LINKS)
    apart = whole(message, "apart", 0, max(attention.queries, attention.keys))
    first = flag(message, "first")
    without = None if first else one.capture.positions(one.layer)[one.batch].first
    found = links_of(attention, one.batch, one.head, overview, count, apart, without)
    links = [Link(query=int(at.query), key=int(at.key), weight=at.weight) for at in found]
    note = ""
    if len(links) < count:
        note = f"The head has no more than {len(links)} links of this kind."
    return View(Links(kind="links", links=links, note=note))


def attention_of(one: Chosen) -> Attention:
    """The attention of the layer that was chosen."""
    assert one.layer.attention is not None  # only such layers are chosen
    return one.layer.attention


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None
