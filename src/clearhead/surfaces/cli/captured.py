"""One cell of a captured model, worked out in the terminal."""

from __future__ import annotations

from typing import Any

import typer

from clearhead.core.expression import cells
from clearhead.lenses.explain import explain
from clearhead.messages import Explanation
from clearhead.messages.values import Digits
from clearhead.surfaces.cli.address import parse_address
from clearhead.surfaces.cli.failing import one_sentence
from clearhead.surfaces.cli.machine import why_as_data
from clearhead.surfaces.cli.output import make_console, print_json, print_lines
from clearhead.surfaces.cli.worked import why_lines
from clearhead.trace.capture.saved import is_capture, load_capture
from clearhead.trace.shortened import MOST_TERMS, shortened
from clearhead.trace.trace import Trace


def names_a_capture(path: str) -> bool:
    """Whether the file of a capture is meant, there or not, and not an example."""
    return path.endswith(".safetensors") or is_capture(path)


def why_of_capture(
    path: str, cell: str, batch: int, digits: Digits, *, latex: bool = False, json: bool = False
) -> None:
    """Print where a number of a captured head came from."""
    with one_sentence():
        at = parse_address(cell)
        capture = load_capture(path)
        trace = capture.head(at.layer, at.head, batch=batch, tower=at.tower)
        head = f"{capture.layer(at.layer, at.tower).label}H{at.head}."
        view = explain(trace, at.quantity, at.index, digits, None if json else MOST_TERMS)
    if json:
        print_json({"head": head[:-1], **why_as_data(view, trace)})
    elif latex:
        typer.echo(view["latex"])
    else:
        console = make_console()
        shown = _readable(view, trace)
        more = len(view["sources"]) - len(shown)
        brief: Any = {**view, "sources": shown}
        print_lines(console, why_lines(brief, trace, console, digits, head=head, more=more))


def _readable(view: Explanation, trace: Trace) -> list[Any]:
    """The sources of the terms that are written."""
    quantity = trace[view["quantity"]]
    written = shortened(quantity.explain(*view["index"])).expression
    return [
        {"quantity": quantity.inputs[cell.slot].name, "index": list(cell.index)}
        for cell in dict.fromkeys(cells(written))
    ]
