"""One head of a capture as a trace: every number of it with its recipe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clearhead.core.axes import KEY, QUERY
from clearhead.core.head import Head, attend
from clearhead.trace.capture.projecting import Way
from clearhead.trace.capture.recognised import recognised
from clearhead.trace.capture.visible import Named
from clearhead.trace.trace import Recorder, Trace

if TYPE_CHECKING:
    from clearhead.trace.capture.capture import Capture, Layer


def trace_of(capture: Capture, layer: Layer, batch: int, head: int) -> Trace:
    """The trace of one head of one sequence."""
    attention = layer.attention
    assert attention is not None  # only such layers are asked for
    step = Recorder(finite=False)  # a model may have computed NaN: it is shown as it is
    way = Way(step, layer.below, batch, layer.rows == layer.columns)
    Q = way.part("Q", attention.query, head)
    K = way.part("K", attention.key, attention.key_head(head))
    V = way.part("V", attention.value, attention.value_head(head))
    pattern = recognised(attention.visible.pattern(batch, head))
    bias = sink = allowed = None
    if attention.bias is not None:
        table = np.broadcast_to(attention.bias.table(batch, head), (attention.queries, attention.keys))
        bias = step.given("bias", (QUERY, KEY), table)
    if attention.sink is not None:
        sink = step.given("sink", (), np.asarray(attention.sink[head]))
    if not isinstance(pattern, Named):
        allowed = step.given("allowed", (QUERY, KEY), pattern.table())
    scale = None if attention.scale == attention.d_head**-0.5 else attention.scale
    mask = pattern.name if isinstance(pattern, Named) else "none"
    how = Head(scale, attention.soft_cap, mask, weights_set=attention.set_in(head), off=head in attention.off)
    way.output(attention, attend(step, Q, K, V, how, bias, sink, allowed), head)
    return Trace(step.quantities, *_words(capture, layer, batch))


def _words(capture: Capture, layer: Layer, batch: int) -> tuple[list[str], tuple[str, ...], dict[str, Any]]:
    """The words of the queries, no vocabulary, and where it all comes from, with the words of other keys."""
    queries, keys = capture.tokens_of(layer, batch)
    others: dict[str, Any] = {} if keys is queries else {"keys": [token.text for token in keys]}
    if layer.below.sentence:
        others["below"] = layer.below.sentence
    return [token.text for token in queries], (), {**capture.provenance, **others}
