"""One cell of a captured model, worked out in the terminal."""

from __future__ import annotations

from typing import Any

import typer

from clearhead.core.expression import cells
from clearhead.core.ops.base import Index
from clearhead.lenses.explain import explain
from clearhead.messages import Explanation
from clearhead.messages.values import Digits
from clearhead.surfaces.cli.address import Address, parse_address
from clearhead.surfaces.cli.failing import one_sentence
from clearhead.surfaces.cli.machine import why_as_data
from clearhead.surfaces.cli.output import make_console, print_json, print_lines
from clearhead.surfaces.cli.worked import why_lines, written
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.head import has_many_cells
from clearhead.trace.capture.saved import is_capture, load_capture
from clearhead.trace.shortened import MOST_TERMS, shortened
from clearhead.trace.trace import Trace


def names_a_capture(path: str) -> bool:
    """Whether the file of a capture is meant, there or not, and not an example."""
    return path.endswith(".safetensors") or is_capture(path)


def why_of_capture(
    path: str, cell: str, batch: int, digits: Digits, *, form: str = "text", json: bool = False
) -> None:
    """Print where a number of a captured head came from."""
    with one_sentence():
        at = parse_address(cell)
        capture = load_capture(path)
        trace, index = _trace_with(capture, at, batch)
        head = f"{capture.layer(at.layer, at.tower).label}H{at.head}."
        view = explain(trace, at.quantity, index, digits, None if json else MOST_TERMS)
    if json:
        print_json({"head": head[:-1], **why_as_data(view, trace)})
    elif form != "text":
        typer.echo(written(shortened(trace[at.quantity].explain(*index)), form, digits))
    else:
        console = make_console()
        shown, more = _readable(view, trace)
        brief: Any = {**view, "sources": shown}
        print_lines(console, why_lines(brief, trace, console, digits, head=head, more=more))


def _trace_with(capture: Capture, at: Address, batch: int) -> tuple[Trace, Index]:
    """A trace that has the cell, and the cell's place: of a long text the trace of its query alone.

    Raises:
        LookupError: there is no such head or cell.
    """
    attention = capture.place(at.layer, at.head, batch, at.tower).attention
    assert attention is not None  # place() gives no other
    if not has_many_cells(attention):
        return capture.head(at.layer, at.head, batch=batch, tower=at.tower), at.index
    queries, first = attention.queries, next(iter(at.index), 0)
    inside = -queries <= first < queries
    query = first % queries if inside else 0  # for a key or a matrix any query will do
    trace = capture.head(at.layer, at.head, query=query, batch=batch, tower=at.tower)
    quantity = trace.get(at.quantity)
    if quantity is None or not at.index or not quantity.origin or quantity.origin[0] is None:
        return trace, at.index
    if not inside:
        raise IndexError(f"{at.quantity}: {quantity.axes[0]} goes from 0 to {queries - 1}, got {first}")
    return trace, (query, *at.index[1:])


def _readable(view: Explanation, trace: Trace) -> tuple[list[Any], int]:
    """The sources of the terms that are written, and how many there are beside them."""
    quantity = trace[view["quantity"]]
    whole = quantity.explain(*view["index"])
    written = dict.fromkeys(cells(shortened(whole).expression))
    named = (quantity.name_of(cell) for cell in written)
    more = len(set(cells(whole.expression))) - len(written)
    return [{"quantity": source.name, "index": list(place)} for source, place in named], more
