"""What can be drawn of a trace: matrices, lines, a cell's arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clearhead.core.axes import HEAD
from clearhead.core.names import scope, taken_apart
from clearhead.surfaces.figure.arithmetic import arithmetic
from clearhead.surfaces.figure.asked import Asked
from clearhead.surfaces.figure.lines import lines
from clearhead.surfaces.figure.look import Look
from clearhead.surfaces.figure.matrices import matrices
from clearhead.surfaces.figure.panels import Panel, panels_of

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes

    from clearhead.trace.trace import Trace

WEIGHTS = "weights"


def of_trace(trace: Trace, asked: Asked, look: Look, ax: Any) -> Axes | np.ndarray:
    """Draw a trace as it was asked for.

    Raises:
        ValueError: an option does nothing here, or it cannot be drawn.
        LookupError: there is no such quantity, cell, head or query.
    """
    if asked.kind == "lines":
        given = asked.only("layer", "head", "query")
        panel = one_panel(trace, _named(trace, WEIGHTS, asked), given.get("head"))
        return lines(panel, look, ax, given.get("query"))
    names = [_named(trace, name, asked) for name in asked.names or (WEIGHTS,)]
    quantity = trace[names[0]]
    if asked.cell is not None or (len(names) == 1 and not quantity.axes):
        asked.only("layer")
        return arithmetic(quantity.explain(*(asked.cell or ())), look, ax, trace)
    head = asked.only("layer", "head").get("head")
    return matrices(
        [panel for name in names for panel in _panels(trace, name, head, len(names) > 1)], look, ax
    )


def one_panel(trace: Trace, name: str, head: int | None, before: str = "") -> Panel:
    """The panel of one head.

    Raises:
        ValueError: there are several heads, and none was named.
        LookupError: there is no such quantity or head.
    """
    found = panels_of(trace, name, head, before)
    if len(found) > 1:
        raise ValueError(f"head: there are {len(found)}; expected which, from 0 to {len(found) - 1}")
    return found[0]


def _panels(trace: Trace, name: str, head: int | None, several: bool) -> list[Panel]:
    """Of several names the head is that of those that have one."""
    has_heads = HEAD in trace[name].axes or len(trace[name].axes) > 2
    return panels_of(trace, name, head if has_heads or not several else None)


def _named(trace: Trace, name: str, asked: Asked) -> str:
    """The full name of a quantity, in its layer.

    Raises:
        LookupError: there is none.
    """
    layer = asked.options.get("layer")
    if layer is None:
        return trace[name].name
    layers = sorted({own for one in trace if (own := taken_apart(one)[0])}) or [""]
    if layer not in range(len(layers)):
        last = len(layers) - 1
        raise LookupError(
            f"layer: {layer!r} is not there; expected {f'0 to {last}' if last else '0, the only one'}"
        )
    said, own = scope(layer, len(layers)), taken_apart(name)[0]
    if own not in ("", said):
        raise LookupError(f"layer: {layer!r} is not the one of {name}; expected either of them")
    return trace[name if name in trace else f"{said}{name}"].name
