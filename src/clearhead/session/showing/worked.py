"""An example and its training, as a page shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from clearhead.core.names import scope
from clearhead.session.door import Session
from clearhead.session.offers import STUDY
from clearhead.session.showing.options import cell_of, whole_number
from clearhead.session.showing.shown import Showing
from clearhead.sources.worked import Example
from clearhead.sources.worked.training.run import TrainingRun

UNNAMED = "example"
"""What an example without a name is called on the page."""


def an_example(x: Example, given: Mapping[str, Any]) -> Showing:
    """An example, with its training."""
    name = x.name or UNNAMED
    session = Session({name: x})
    parts = ("training", "study") if name == STUDY else ("training",)
    return _worked(Showing(session, x.title or name, name, {"state": {"example": name}}, parts), given)


def a_training(x: TrainingRun, given: Mapping[str, Any]) -> Showing:
    """A training run, at the step that is asked for; at its last where none is."""
    name, optimiser = x.start.name or UNNAMED, x.optimiser
    session = Session({name: x.start})
    session.states.runs[name] = x
    step = given.get("step", x.recorded[-1])
    try:
        x.at(step)
    except (KeyError, TypeError) as error:
        raise LookupError(f"step: {error.args[0]}") from None
    plan = {"optimizer": optimiser.kind, "learning_rate": optimiser.rate, "steps": x.steps}
    page = {"state": {"example": name, "training": plan, "step": int(step)}}
    title = f"{x.start.title or name}, trained"
    rest = {one: value for one, value in given.items() if one != "step"}
    return _worked(Showing(session, title, name, page, ("training",)), rest)


def _worked(plain: Showing, given: Mapping[str, Any]) -> Showing:
    """The same with the layer or the cell to begin with."""
    state = plain.page["state"]
    asked = partial(_asked, plain.session)
    example = plain.session.states.example({"state": state})  # says what is too large for a page
    layers = len(example.layer_weights)
    layer = whole_number("layer", given.get("layer", 0), layers)
    if "cell" in given:
        if wrong := [name for name in ("head", "query") if name in given]:
            raise ValueError(f"{wrong[0]}: the cell says it already; expected either of them")
        cell = cell_of(given["cell"])
        asked({"ask": "explain", "state": state, **cell, "digits": "full"})
    elif "head" in given or "query" in given:
        trace = plain.session.states.loop({"state": state})
        weights = trace[f"{scope(layer, layers)}weights"]
        head = whole_number("head", given.get("head", 0), weights.shape[0])
        query = whole_number("query", given.get("query", weights.shape[1] - 1), weights.shape[1])
        key = int(weights.values[head, query].argmax())
        cell = {"quantity": weights.name, "index": [head, query, key]}
    else:
        cell = None
    return replace(plain, page={**plain.page, "layer": layer, "cell": cell})


def _asked(session: Session, message: Mapping[str, Any]) -> None:
    """Ask, and raise what is wrong."""
    data: Mapping[str, Any] = session.ask(message).data
    if data["kind"] == "error":
        raise LookupError(f"cell: {data['message']}")
