"""What can be drawn of the heads of a captured model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clearhead.surfaces.figure.arithmetic import arithmetic
from clearhead.surfaces.figure.asked import Asked
from clearhead.surfaces.figure.lines import lines
from clearhead.surfaces.figure.look import Look
from clearhead.surfaces.figure.matrices import matrices
from clearhead.surfaces.figure.oftrace import WEIGHTS, one_panel
from clearhead.surfaces.figure.panels import Panel, Side, end_of, of_several, panels_of, thinned
from clearhead.surfaces.figure.words import plain
from clearhead.trace.capture.head import has_many_cells
from clearhead.trace.capture.hidden_bins import hidden_bins
from clearhead.trace.capture.token import padded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from clearhead.trace.capture.capture import Capture
    from clearhead.trace.capture.layer import Layer


def heads_of(capture: Capture, asked: Asked, look: Look, ax: Any) -> Axes | np.ndarray:
    """Draw one head of a capture, or of matrices all heads of a layer.

    Raises:
        ValueError: no layer was named, or no head where one is needed; an option does nothing here.
        LookupError: there is no such layer, head, query, quantity or cell.
    """
    given = asked.only("layer", "head", "query", "tower", "batch")
    if "layer" not in given:
        _known(capture, asked)
        raise ValueError(f"layer: {asked.kind!r} is of one layer; expected which, such as layer=0")
    batch, tower, head = given.get("batch", 0), given.get("tower"), given.get("head")
    found = capture.place(given["layer"], head or 0, batch, tower)
    if head is None and (asked.kind == "lines" or asked.cell is not None) and found.heads > 1:
        raise ValueError(f"head: {asked.kind!r} is of one head; expected which, from 0 to {found.heads - 1}")
    heads = range(found.heads) if head is None else [head]
    if asked.kind == "lines":
        trace = capture.head(found.number, heads[0], batch=batch, tower=found.tower)
        panel = one_panel(trace, WEIGHTS, None, f"{found.label}H{heads[0]}")
        return lines(panel, look, ax, given.get("query"))
    if asked.cell is not None:
        query = given.get("query")
        trace = capture.head(found.number, heads[0], query=query, batch=batch, tower=found.tower)
        return arithmetic(trace[asked.names[0]].explain(*asked.cell), look, ax, trace)
    return matrices(_panels(capture, found, heads, asked, batch), look, ax)


def _known(capture: Capture, asked: Asked) -> None:
    """Refuse names that no layer has.

    Raises:
        LookupError: there is such a name.
    """
    first = next(iter(capture.attentions()))
    trace = capture.head(first.number, 0, tower=first.tower)
    for name in asked.names if asked.kind != "lines" else ():
        trace[name]


def _panels(capture: Capture, layer: Layer, heads: Any, asked: Asked, batch: int) -> list[Panel]:
    query = asked.options.get("query")
    assert layer.attention is not None  # place() gives no other
    if asked.names == (WEIGHTS,) and query is None and has_many_cells(layer.attention):
        return [_pooled(capture, layer, head, batch) for head in heads]
    return [
        panel
        for head in heads
        for trace in [capture.head(layer.number, head, query=query, batch=batch, tower=layer.tower)]
        for name in asked.names
        for panel in panels_of(trace, name, None, f"{layer.label}H{head}")
    ]


def _pooled(capture: Capture, layer: Layer, head: int, batch: int) -> Panel:
    """The map of a long text, pooled by its maximum: the square of its cells is never made."""
    attention = layer.attention
    assert attention is not None  # an attention layer
    values = np.asarray(capture.overview_of(layer).largest[batch, head], dtype=np.float64)
    hidden = hidden_bins(attention.visible.pattern(batch, head), attention.keys, *values.shape)
    sides = [
        thinned(
            Side(
                axis, tuple(range(size)), tuple(one.text for one in tokens), padding=frozenset(padded(tokens))
            ),
            np.arange(bins) * size // bins,
        )
        for axis, size, bins, tokens in zip(
            ("query", "key"),
            (attention.queries, attention.keys),
            values.shape,
            capture.tokens_of(layer, batch),
            strict=True,
        )
    ]
    says = f"{layer.label}H{head} weights"
    end = end_of(values, True)
    return of_several(Panel(plain(says), says, values, hidden, sides[0], sides[1], True, end))
