"""Reading the state of the Model part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from clearhead.session.states import state_of
from clearhead.session.view import text, whole
from clearhead.sources.worked import ExampleError
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.change import Change
from clearhead.trace.capture.layer import Layer

MOST_TOKENS = 512
"""Tokens of a text whose every weight the page draws. A longer one is read in the background, and zoomed into."""

MOST_CHANGES = 64

FIELDS = ("model", "text", "decoder", "generate", "tower", "layer", "head", "batch", "changes")
MOST_NUMBER = 1_000_000
"""Layers, heads, positions and sequences are numbers up to here; which of them there are, the capture says."""


@dataclass(frozen=True)
class Reading:
    """What a model is to read, and how: all that a capture depends on.

    Attributes:
        model: its name on the page.
        text: what it reads; None: the text that the model comes with.
        decoder: the text that its decoder reads, if it has one.
        generate: how many tokens it goes on by itself.
        changes: what its attention is to do otherwise.
    """

    model: str
    text: str | None = None
    decoder: str | None = None
    generate: int = 0
    changes: tuple[Change, ...] = ()

    @property
    def unchanged(self) -> Reading:
        """The same without the changes."""
        return replace(self, changes=())


@dataclass(frozen=True)
class Chosen:
    """One head of a capture."""

    capture: Capture
    layer: Layer
    head: int
    batch: int


def reading_of(message: Mapping[str, Any]) -> Reading:
    """What the message's state asks a model to read.

    Raises:
        ExampleError: a field is not what it should be.
    """
    state = state_of(message, "state")
    for name in state:
        if name not in FIELDS:
            raise ExampleError("state", f"{name!r} is not known; expected only {', '.join(FIELDS)}")
    return Reading(
        text(state, "model"),
        text(state, "text") if "text" in state else None,
        text(state, "decoder") if "decoder" in state else None,
        whole(state, "generate", 0, MOST_TOKENS) if "generate" in state else 0,
        _changes(state),
    )


def _changes(state: Mapping[str, Any]) -> tuple[Change, ...]:
    given = state.get("changes", [])
    if not isinstance(given, list) or not all(isinstance(one, Mapping) for one in given):
        raise ExampleError("changes", f"expected a list of changes, got {given!r}")
    if len(given) > MOST_CHANGES:
        raise ExampleError("changes", f"there are {len(given)}; expected at most {MOST_CHANGES}")
    try:
        return tuple(Change.read(one) for one in given)
    except (TypeError, ValueError) as error:
        raise ExampleError("changes", str(error).removeprefix("change: ")) from None


def batch_of(message: Mapping[str, Any], capture: Capture) -> int:
    """Which sequence the state means."""
    first = next(capture.attentions())
    assert first.attention is not None  # attentions() gives no other
    return _number(message["state"], "batch", first.attention.sequences)


def chosen(message: Mapping[str, Any], capture: Capture) -> Chosen:
    """The head that the state means: of the main tower's first attention layer the first, where it names none.

    Raises:
        ExampleError: there is none such.
    """
    state = message["state"]
    tower = text(state, "tower") if state.get("tower") else None
    if tower is not None and tower not in capture.towers:
        raise ExampleError("tower", f"{tower!r} is none of this model's; expected {capture.tower_names}")
    there = [one for one in capture.attentions() if one.tower == (capture.main if tower is None else tower)]
    if not there:
        raise ExampleError("tower", f"{tower!r} has no attention layer")
    number = whole(state, "layer", 0, MOST_NUMBER) if "layer" in state else there[0].number
    try:
        layer = capture.layer(number, there[0].tower)
    except LookupError as error:
        raise ExampleError("layer", str(error).removeprefix("layer: ")) from None
    assert layer.attention is not None  # layer() gives no other
    return Chosen(
        capture,
        layer,
        _number(state, "head", layer.heads),
        _number(state, "batch", layer.attention.sequences),
    )


def position_of(message: Mapping[str, Any], key: str, size: int, default: int) -> int:
    """A position that the message names, counted from 0."""
    return whole(message, key, 0, size - 1) if message.get(key) is not None else default


def _number(state: Mapping[str, Any], key: str, size: int) -> int:
    return whole(state, key, 0, size - 1) if key in state else 0
