"""What a person chose and edited on a page, as plain data for a program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from clearhead.lenses.diagnose import Report
from clearhead.session.modelstate import FIELDS
from clearhead.session.reported import number_on
from clearhead.session.showing import Page, Showing, number_in
from clearhead.sources.worked import ExampleError
from clearhead.trace.explanation import cell_label
from clearhead.trace.notation.numbers import shown_value


def chosen_on(showing: Showing, page: Page) -> dict[str, Any]:
    """What a page shows, read for a program.

    Args:
        showing: whose page.
        page: what it shows.

    Returns:
        "words": the sentence, or the tokens of a capture; "edits": the cells that were typed over, as dictionaries of
        matrix, row, column and value (of a capture: the changes of its attention); "rows": rows of E for words that the
        example did not come with; "settings": the switches, as they are now; "step": of a training; "cell": the opened
        cell, as "name" and "number", or None; "problem": what is wrong with the state, in one sentence, or None. Where
        something is wrong, words and settings are those that the page has so far.
    """
    return _of_model(showing, page, page["model"]) if page.get("model") else _of_example(showing, page)


def _of_example(showing: Showing, page: Page) -> dict[str, Any]:
    state = page["state"]
    found: dict[str, Any] = {
        "words": list(state.get("tokens", ())),
        "edits": [dict(one) for one in state.get("edits", ())],
        "rows": {word: list(row) for word, row in state.get("rows", {}).items()},
        "settings": {},
        "step": state.get("step"),
        "cell": None,
        "problem": None,
    }
    if showing.report is not None:
        return found | _in_report(showing.report, page.get("cell"))
    if not showing.name:  # a recording has no example
        return found
    try:
        example = showing.session.states.example({"state": state})
    except (ExampleError, OverflowError) as problem:
        return {**found, "problem": str(problem)}
    return {
        **found,
        "words": list(example.tokens),
        "settings": {**asdict(example.settings), "layer": page.get("layer", 0)},
        **_opened(showing, state, page.get("cell")),
    }


def _in_report(report: Report, cell: Mapping[str, Any] | None) -> dict[str, Any]:
    """The opened cell of one of its walkthroughs, with its number."""
    if cell is None:
        return {}
    try:
        number = number_on(report, cell)
    except LookupError as problem:
        return {"problem": str(problem)}
    return {"cell": {"name": cell_label(cell["quantity"], tuple(cell["index"])), "number": number}}


def _of_model(showing: Showing, page: Page, look: Mapping[str, Any]) -> dict[str, Any]:
    state = {name: value for name, value in look.items() if name in FIELDS}
    seen = {name: value for name, value in look.items() if name not in ("model", "number", "changes", "text")}
    found: dict[str, Any] = {
        "words": [],
        "edits": [dict(one) for one in state.get("changes", ())],
        "rows": {},
        "settings": seen,
        "step": None,
        "cell": None,
        "problem": None,
    }
    capture = showing.capture
    if capture is None:  # the page of an example has no model
        return found
    try:
        first = next(one for one in capture.attentions() if one.tower == capture.main)
        layer = capture.layer(look.get("layer", first.number), look.get("tower"))
        words = [token.text for token in capture.tokens_of(layer, state.get("batch", 0))[0]]
        found |= {"words": words}
        if cell := look.get("number"):
            number = number_in(capture, look, cell)
            found |= {"cell": {"name": cell_label(cell["quantity"], tuple(cell["index"])), "number": number}}
    except (LookupError, ValueError) as problem:
        found |= {"problem": str(problem)}
    return found


def _opened(showing: Showing, state: Mapping[str, Any], cell: Mapping[str, Any] | None) -> dict[str, Any]:
    """The opened cell with its number."""
    if cell is None:
        return {}
    message = {"ask": "explain", "state": state, **cell, "digits": "full"}
    data: Mapping[str, Any] = showing.session.ask(message).data
    if data["kind"] == "error":
        return {"problem": data["message"]}
    number = shown_value(data["full"])  # the shortest digits that are exactly it
    return {"cell": {"name": data["label"], "number": number}}
