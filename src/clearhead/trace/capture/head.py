"""One head of a capture as a trace: every number of it with its recipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clearhead.core.axes import FEATURE, KEY, QUERY
from clearhead.core.head import Head, attend
from clearhead.trace.capture.held import precise
from clearhead.trace.capture.recognised import recognised
from clearhead.trace.capture.visible import Named
from clearhead.trace.trace import Recorder, Trace

if TYPE_CHECKING:
    from clearhead.trace.capture.capture import Capture, Layer


def trace_of(capture: Capture, layer: Layer, batch: int, head: int) -> Trace:
    """The trace of one head of one sequence."""
    attention = layer.attention
    assert attention is not None  # only such layers are asked for
    step = Recorder()
    Q = step.given("Q", (QUERY, FEATURE), precise(attention.query, batch, head))
    K = step.given("K", (KEY, FEATURE), precise(attention.key, batch, attention.key_head(head)))
    V = step.given("V", (KEY, FEATURE), precise(attention.value, batch, attention.value_head(head)))
    pattern = recognised(attention.visible.pattern(batch, head))
    named = isinstance(pattern, Named)
    bias = sink = allowed = None
    if attention.bias is not None:
        table = np.broadcast_to(attention.bias.table(batch, head), (attention.queries, attention.keys))
        bias = step.given("bias", (QUERY, KEY), table)
    if attention.sink is not None:
        sink = step.given("sink", (), np.asarray(attention.sink[head]))
    if not named:
        allowed = step.given("allowed", (QUERY, KEY), pattern.table())
    scale = None if attention.scale == attention.d_head**-0.5 else attention.scale
    how = Head(scale, attention.soft_cap, pattern.name if named else "none")
    attend(step, Q, K, V, how, bias, sink, allowed)
    queries, _ = capture.tokens_of(layer, batch)
    return Trace(step.quantities, [token.text for token in queries], (), dict(capture.provenance))
