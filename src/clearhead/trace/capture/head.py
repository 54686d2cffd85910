"""One head of a capture as a trace: every number of it with its recipe, for all of its queries or for one."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from clearhead.core.axes import KEY, QUERY
from clearhead.core.head import Head, attend
from clearhead.trace.capture.projecting import Way
from clearhead.trace.capture.recognised import recognised
from clearhead.trace.capture.token import padded
from clearhead.trace.capture.visible import Named
from clearhead.trace.trace import Recorder, Trace

if TYPE_CHECKING:
    from clearhead.trace.capture.attention import Attention
    from clearhead.trace.capture.capture import Capture
    from clearhead.trace.capture.layer import Layer


MOST_CELLS = 2**26
"""Cells of one head's square beyond which no trace of all its queries is made: each of its six steps has as many."""

MANY_CELLS = 2**20
"""Cells beyond which the trace of the query that is asked about is the better one to make."""


def has_many_cells(attention: Attention) -> bool:
    """Whether a head's text is so long that one looks at one of its queries at a time."""
    return attention.queries * attention.keys > MANY_CELLS


def trace_of(capture: Capture, layer: Layer, batch: int, head: int, query: int | None = None) -> Trace:
    """The trace of one head of one sequence; of one query alone, and all keys, where one is named.

    Raises:
        LookupError: there is no such query.
        ValueError: the head has too many cells for all of them to be worked out at once.
    """
    attention = layer.attention
    assert attention is not None  # only such layers are asked for
    query = _query(attention, query)
    rows = slice(None) if query is None else slice(query, query + 1)
    origin = () if query is None else (query, None)
    step = Recorder(finite=False)  # a model may have computed NaN: it is shown as it is
    way = Way(step, layer.below, batch, layer.rows == layer.columns, query)
    Q = way.part("Q", attention.query, head)
    K = way.part("K", attention.key, attention.key_head(head))
    V = way.part("V", attention.value, attention.value_head(head))
    pattern = recognised(attention.visible.pattern(batch, head))
    bias = sink = allowed = None
    if attention.bias is not None:
        table = np.broadcast_to(attention.bias.table(batch, head, rows), (Q.shape[0], attention.keys))
        bias = step.given("bias", (QUERY, KEY), table, origin)
    if attention.sink is not None:
        sink = step.given("sink", (), np.asarray(attention.sink[head]))
    if not isinstance(pattern, Named):
        allowed = step.given("allowed", (QUERY, KEY), pattern.table(rows), origin)
    scale = None if attention.scale == attention.d_head**-0.5 else attention.scale
    mask = pattern.name if isinstance(pattern, Named) else "none"
    set_by_hand, off = attention.set_in(head), head in attention.off
    how = Head(scale, attention.soft_cap, mask, weights_set=set_by_hand, off=off, first=query or 0)
    way.output(attention, attend(step, Q, K, V, how, bias, sink, allowed), head)
    return Trace(step.quantities, *_words(capture, layer, batch, head))


def _query(attention: Attention, query: int | None) -> int | None:
    if query is None:
        if attention.queries * attention.keys > MOST_CELLS:
            raise ValueError(
                f"query: this head has {attention.queries} queries and {attention.keys} keys, more than can be worked "
                "out at once; expected the place of one query, such as query=0"
            )
        return None
    if isinstance(query, bool) or not isinstance(query, Integral) or not 0 <= query < attention.queries:
        raise LookupError(f"query: {query!r} is no place; expected one from 0 to {attention.queries - 1}")
    return int(query)


def _words(
    capture: Capture, layer: Layer, batch: int, head: int
) -> tuple[list[str], tuple[str, ...], dict[str, Any]]:
    """The words of the queries, no vocabulary, and where it all comes from.

    With it the words of other keys, and which queries and keys are padding, where any are.
    """
    queries, keys = capture.tokens_of(layer, batch)
    others: dict[str, Any] = {"head": f"{layer.label}H{head}"}
    if keys is not queries:
        others["keys"] = [token.text for token in keys]
    if layer.below.sentence:
        others["below"] = layer.below.sentence
    padding = {axis: padded(tokens) for axis, tokens in ((QUERY, queries), (KEY, keys))}
    if any(padding.values()):
        others["padding"] = padding
    return [token.text for token in queries], (), {**capture.provenance, **others}
