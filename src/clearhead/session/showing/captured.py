"""A capture, and a head by itself, as a page shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from clearhead.session.door import Session
from clearhead.session.models import Models
from clearhead.session.modelstate import MOST_TOKENS
from clearhead.session.offers import STUDY_TITLE, called, titled
from clearhead.session.showing.options import cell_of, whole_number
from clearhead.session.showing.shown import Showing
from clearhead.trace.capture.capture import Capture


@dataclass(frozen=True)
class OneHead:
    """A head by itself, as a capture of it alone."""

    capture: Capture


def a_head(x: OneHead, given: Mapping[str, Any]) -> Showing:
    """A head by itself, its arithmetic open."""
    shown = a_capture(x.capture, {"layer": 0, "head": 0, **given})
    look = {name: value for name, value in shown.page["model"].items() if name not in ("layer", "head")}
    return replace(shown, page={**shown.page, "model": {**look, "worked": True}})


def a_capture(x: Capture, given: Mapping[str, Any]) -> Showing:
    """A capture, from the layer, the head and the cell that are asked for."""
    model = str(x.provenance.get("model") or "capture")
    session = Session(models=Models(saved={model: x}))
    name = called(model)
    look: dict[str, Any] = {"model": name}
    if "layer" not in given and (needy := [one for one in ("head", "query", "cell") if one in given]):
        raise ValueError(f"{needy[0]}: is of one layer; expected which, such as layer=0")
    if "cell" in given and "head" not in given:
        raise ValueError("cell: is of one head; expected which, such as head=0")
    if "layer" in given:
        layer = x.place(given["layer"], given.get("head", 0), given.get("batch", 0), given.get("tower"))
        assert layer.attention is not None  # place() gives no other
        look |= {"layer": layer.number, "head": int(given.get("head", 0))}
        if "query" in given:
            look["query"] = whole_number("query", given["query"], layer.attention.queries)
    elif "tower" in given:
        raise ValueError("tower: is of one layer; expected which, such as layer=0")
    look |= {one: given[one] for one in ("tower", "batch") if one in given}
    if "batch" in given:
        first = next(x.attentions()).attention
        assert first is not None  # attentions() gives no other
        whole_number("batch", given["batch"], first.sequences)
    page: dict[str, Any] = {"state": {"example": ""}, "layer": 0, "cell": None, "model": look}
    if "cell" in given:
        cell = cell_of(given["cell"])
        number_in(x, look, cell)  # says what is not there
        look |= {"worked": True, "number": cell}
    return Showing(session, _in_words(titled(model, x), x), name, page, ("model",), x)


def _in_words(title: str, x: Capture) -> str:
    if x.traces:  # a head by itself
        return title[0].lower() + title[1:]
    return f"a capture of {title[0].lower() + title[1:] if title == STUDY_TITLE else title}"


def number_in(capture: Capture, look: Mapping[str, Any], cell: Mapping[str, Any]) -> float:
    """The number of a cell of the head that a page looks at; of a long text only the row of its query is worked out.

    Raises:
        LookupError: there is no such cell.
    """
    layer = capture.layer(look["layer"], look.get("tower")) if "layer" in look else next(capture.attentions())
    assert layer.attention is not None  # these are all attention layers
    long = max(layer.attention.queries, layer.attention.keys) > MOST_TOKENS
    query = look.get("query", cell["index"][0] if cell["index"] else 0) if long else None
    where = {"query": query, "batch": look.get("batch", 0), "tower": layer.tower}
    trace = capture.head(layer.number, look.get("head", 0), **where)
    try:
        quantity = trace[cell["quantity"]]
        return float(quantity.values[quantity.here(quantity.place(tuple(cell["index"])))])
    except LookupError as error:
        raise LookupError(f"cell: {error.args[0]}") from None
