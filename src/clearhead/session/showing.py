"""What is shown of an object: the session that answers, what the page begins with, and which parts it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from clearhead.core.names import scope
from clearhead.lenses.diagnose import Report
from clearhead.session.door import Session
from clearhead.session.models import Models
from clearhead.session.modelstate import MOST_TOKENS
from clearhead.session.offers import STUDY, STUDY_TITLE, called, titled
from clearhead.session.reported import SIDES, number_on
from clearhead.session.view import View
from clearhead.sources.worked import Example, ExampleError
from clearhead.sources.worked.files import load_example
from clearhead.sources.worked.restored import example_of_trace
from clearhead.sources.worked.training import saved
from clearhead.sources.worked.training.run import TrainingRun
from clearhead.trace.capture.alone import alone
from clearhead.trace.capture.capture import Capture
from clearhead.trace.notation.cell import parse_cell
from clearhead.trace.recording import Recording
from clearhead.trace.trace import Trace

UNNAMED = "example"
"""What an example without a name is called on the page."""

Page = Mapping[str, Any]
"""What a page shows, as its store holds it: state, layer, cell, and model where there is one."""


@dataclass(frozen=True)
class Showing:
    """An object as a page shows it. It answers as its session does, but tells of nothing else that could be opened.

    Attributes:
        session: what answers messages about it.
        title: what it is, in a few words.
        name: what it is called in messages.
        page: what the page shows at first.
        parts: which parts come after the stops, by their ids.
        capture, report: what is shown, where it is one.
    """

    session: Session
    title: str
    name: str
    page: Page
    parts: tuple[str, ...]
    capture: Capture | None = None
    report: Report | None = None

    @property
    def address(self) -> str:
        """The page's address of what it shows at first, as `state/url.ts` of the page writes it."""
        return address_of(self.page)

    def ask(self, message: Mapping[str, Any]) -> View:
        """Answer one message, see `clearhead.session.Session.ask`."""
        view = self.session.ask(message)
        for listed in ("examples", "models"):
            if view.data["kind"] == listed:
                every: list[Mapping[str, Any]] = view.data[listed]  # type: ignore[typeddict-item]  # of that kind
                if own := [one for one in every if one["name"] == self.name]:
                    return View({**view.data, listed: own}, view.buffers)  # type: ignore[arg-type]
        return view


def showing(x: Any, **options: Any) -> Showing:
    """How an object is shown.

    Args:
        x: an `Example`, the name or path of one, a `Trace` of one or of a head, a `TrainingRun`, a `Capture`, a
            `Recording`, or a `Report` of the checker.
        options: what is to be seen first; those that are None count as not given. Of an example and of a training
            `layer`, `head` and `query` (the arithmetic of that query's largest weight is open) or `cell`; of a training
            `step`, too. Of a capture `tower`, `batch`, `layer`, `head`, `query` or `cell`, of a head `query` or `cell`.
            Of a recording `step`, of a report `cell`, such as "yours.scaled[0,1]" or "right.scaled[0,1]".

    Raises:
        TypeError: x is nothing that can be shown.
        ExampleError: it is of something that the page has no view of, or too large for it.
        ValueError: an option does nothing here.
        LookupError: there is no such step, layer, head, query, tower, sequence or cell.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if isinstance(x, str | Path):
        x = load_example(x)
    if isinstance(x, Trace):
        x = _of_trace(x)
    if isinstance(x, Recording) and x.header.get("kind") == saved.KIND:
        x = saved.load_run(x.path)
    for kind, (shown, usable) in KINDS.items():
        if isinstance(x, kind):
            for name in given:
                if name not in usable:
                    takes = " or ".join(usable)
                    raise ValueError(f"{name}: does nothing for {CALLED[kind]}; expected {takes}")
            return shown(x, given)
    raise TypeError(
        f"x: got {type(x).__name__}; expected a Trace, a Capture, a TrainingRun, a Recording, a Report, an Example "
        "or the name of one"
    )


@dataclass(frozen=True)
class OneHead:
    """A head by itself, as a capture of it alone."""

    capture: Capture


def _of_trace(trace: Trace) -> Example | OneHead:
    if trace.provenance.get("source") == "example":
        return example_of_trace(trace)
    try:
        return OneHead(alone(trace))
    except ValueError as error:
        raise ExampleError("trace", str(error)) from None


def _one_head(x: OneHead, given: Mapping[str, Any]) -> Showing:
    shown = _capture(x.capture, {"layer": 0, "head": 0, **given})
    look = {name: value for name, value in shown.page["model"].items() if name not in ("layer", "head")}
    return replace(shown, page={**shown.page, "model": {**look, "worked": True}})


def _recording(x: Recording, given: Mapping[str, Any]) -> Showing:
    steps = x.steps
    if not steps:
        raise ExampleError("recording", f"{x.path}: no step of it was saved; expected one at least")
    step = given.get("step", steps[-1])
    if step not in steps:
        near = (
            sorted(sorted(steps, key=lambda one: abs(one - step))[:3])
            if isinstance(step, int)
            else steps[-3:]
        )
        raise LookupError(f"step: {step!r} was not saved; the nearest that were: {', '.join(map(str, near))}")
    page = {"state": {"example": "", "step": int(step)}, "layer": 0, "cell": None}
    return Showing(Session(recording=x), f"the training in {x.path.name}", "", page, ("recording",))


def _report(x: Report, given: Mapping[str, Any]) -> Showing:
    page: dict[str, Any] = {"state": {"example": ""}, "layer": 0, "cell": None}
    shown = Showing(Session(report=x), "the report on an attention", "", page, ("report",), report=x)
    if "cell" not in given:
        return shown
    cell = _cell(given["cell"])
    if cell["quantity"].partition(".")[0] not in SIDES:
        cell["quantity"] = f"{SIDES[-1]}.{cell['quantity']}"
    number_on(x, cell)  # says what is not there
    return replace(shown, page={**page, "cell": cell})


def _example(x: Example, given: Mapping[str, Any]) -> Showing:
    name = x.name or UNNAMED
    session = Session({name: x})
    parts = ("training", "study") if name == STUDY else ("training",)
    return _worked(Showing(session, x.title or name, name, {"state": {"example": name}}, parts), given)


def _training(x: TrainingRun, given: Mapping[str, Any]) -> Showing:
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
    layer = _number("layer", given.get("layer", 0), layers)
    if "cell" in given:
        if wrong := [name for name in ("head", "query") if name in given]:
            raise ValueError(f"{wrong[0]}: the cell says it already; expected either of them")
        cell = _cell(given["cell"])
        asked({"ask": "explain", "state": state, **cell, "digits": "full"})
    elif "head" in given or "query" in given:
        trace = plain.session.states.loop({"state": state})
        weights = trace[f"{scope(layer, layers)}weights"]
        head = _number("head", given.get("head", 0), weights.shape[0])
        query = _number("query", given.get("query", weights.shape[1] - 1), weights.shape[1])
        key = int(weights.values[head, query].argmax())
        cell = {"quantity": weights.name, "index": [head, query, key]}
    else:
        cell = None
    return replace(plain, page={**plain.page, "layer": layer, "cell": cell})


def _capture(x: Capture, given: Mapping[str, Any]) -> Showing:
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
            look["query"] = _number("query", given["query"], layer.attention.queries)
    elif "tower" in given:
        raise ValueError("tower: is of one layer; expected which, such as layer=0")
    look |= {one: given[one] for one in ("tower", "batch") if one in given}
    if "batch" in given:
        first = next(x.attentions()).attention
        assert first is not None  # attentions() gives no other
        _number("batch", given["batch"], first.sequences)
    page: dict[str, Any] = {"state": {"example": ""}, "layer": 0, "cell": None, "model": look}
    if "cell" in given:
        cell = _cell(given["cell"])
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


def _asked(session: Session, message: Mapping[str, Any]) -> None:
    """Ask, and raise what is wrong."""
    data: Mapping[str, Any] = session.ask(message).data
    if data["kind"] == "error":
        raise LookupError(f"cell: {data['message']}")


def _cell(text: Any) -> dict[str, Any]:
    if not isinstance(text, str):
        raise ValueError(f"cell: expected text such as 'weights[0,3,1]', got {text!r}")
    quantity, index = parse_cell(text)
    return {"quantity": quantity, "index": list(index)}


def _number(name: str, value: Any, size: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or not 0 <= value < size:
        raise LookupError(f"{name}: {value!r} is not there; expected a whole number from 0 to {size - 1}")
    return int(value)


PLACES = ("layer", "head", "query", "cell")

KINDS: Mapping[type, tuple[Callable[[Any, Mapping[str, Any]], Showing], tuple[str, ...]]] = {
    Example: (_example, PLACES),
    TrainingRun: (_training, ("step", *PLACES)),
    Capture: (_capture, ("tower", "batch", *PLACES)),
    OneHead: (_one_head, ("query", "cell")),
    Recording: (_recording, ("step",)),
    Report: (_report, ("cell",)),
}
"""What can be shown, how, and by which options."""

CALLED = {
    Example: "an example",
    TrainingRun: "a training run",
    Capture: "a capture",
    OneHead: "a head",
    Recording: "a recording",
    Report: "a report",
}

LOOK = {"layer": "block"}
"""Fields of the Model part that are called otherwise in an address, where the walkthrough has the name."""


def address_of(page: Page) -> str:
    """The address of a page."""
    state, look = page["state"], page.get("model")
    fields: dict[str, Any] = {} if look else dict(state)
    if page.get("layer"):
        fields["layer"] = page["layer"]
    if page.get("cell"):
        fields["cell"] = page["cell"]
    fields |= {LOOK.get(name, name): value for name, value in (look or {}).items()}
    return "&".join(f"{name}={_written(value)}" for name, value in fields.items())


def _written(value: Any) -> str:
    """A value as it stands in an address: parts of a cell or a training with colons between them."""
    if isinstance(value, Mapping):
        return ":".join(_written(part) for part in value.values())
    if isinstance(value, list):
        return ":".join(map(_written, value))
    if isinstance(value, bool):
        return str(int(value))
    return quote(str(value), safe="")
