"""A worked example, or the training of one, as answers that are worked out beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import product
from typing import Any

from clearhead.session.kept.kept import Kept
from clearhead.session.showing import Showing
from clearhead.session.view import View
from clearhead.sources.worked import Example
from clearhead.sources.worked.example import SWITCHES

Progress = Callable[[int, int], None]
"""Told how many states are done, and of how many."""

CHOICES: Mapping[str, Callable[[Example], Sequence[Any]]] = {
    "mask": lambda _: ("none", "causal"),
    "scale": lambda _: (True, False),
    "heads": lambda example: example.head_choices,
}
"""The switches that are kept, with what they can be set to; all of them together are worked out."""

MOST_STEPS = 24
"""Steps of a training that are kept, spread over it: the first, the last and the one that is begun with among them."""


def keep_example(shown: Showing, tell: Progress | None = None) -> Kept:
    """The walkthrough of an example with its switches, or the training of one, step by step.

    Args:
        shown: which.
        tell: see `Progress`.
    """
    example = shown.session.states.named(shown.name)
    kept = _begun(shown, example)
    states = list(_switched(example, kept.own))
    if run := shown.session.states.runs.get(shown.name):
        trained = {name: value for name, value in shown.page["state"].items() if name != "step"}
        kept.put({"ask": "training", "state": trained}, shown.ask({"ask": "training", "state": trained}))
        kept.parts, kept.steps = ("training",), _steps(run.recorded, shown)
        states = [trained | {"step": step} for step in kept.steps]
    for done, state in enumerate(states):
        _keep_state(shown, kept, {"example": shown.name} | state, len(example.layer_weights))
        if tell is not None:
            tell(done + 1, len(states))
    return kept


def keep_recording(shown: Showing, tell: Progress | None = None) -> Kept:
    """A recorded training, step by step; see `keep_example`."""
    state = shown.page["state"]
    data: Any = shown.ask({"ask": "recording", "state": state}).data
    kept = Kept(shown.title, shown.address, shown.parts, steps=_steps(data["saved"], shown))
    for done, step in enumerate(kept.steps):
        message = {"ask": "recording", "state": {**state, "step": step}}
        view = shown.ask(message)
        answer: Any = {**view.data, "saved": list(kept.steps)}
        kept.put(message, View(answer, view.buffers))
        if tell is not None:
            tell(done + 1, len(kept.steps))
    return kept


def _steps(there: Sequence[int], shown: Showing) -> tuple[int, ...]:
    begins = shown.page["state"]["step"]
    found = spread(there, MOST_STEPS)
    return tuple(sorted({begins, *(found if begins in found else spread(there, MOST_STEPS - 1))}))


def _switched(example: Example, own: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What is switched, in every way that is kept."""
    for way in product(*(choices(example) for choices in CHOICES.values())):
        yield {field: value for field, value in zip(CHOICES, way, strict=True) if value != own[field]}


def spread(places: Sequence[int], most: int) -> list[int]:
    """So many of the places at most, from the first to the last."""
    if len(places) <= most:
        return list(places)
    return [places[at * (len(places) - 1) // (most - 1)] for at in range(most)]


def _begun(shown: Showing, example: Example) -> Kept:
    settings = asdict(example.settings)
    own = {switch: settings[switch] for switch in SWITCHES if switch in settings}
    kept = Kept(shown.title, shown.address, own=own)
    kept.put({"ask": "examples"}, shown.ask({"ask": "examples"}))
    return kept


def _keep_state(shown: Showing, kept: Kept, state: Mapping[str, Any], layers: int) -> None:
    for message in _messages(state, layers):
        view = shown.ask(message)
        if view.data["kind"] == "walkthrough":
            for quantity in view.data["quantities"]:
                quantity["editable"] = False  # nothing could work out what follows
        kept.put(message, view)


def _messages(state: Mapping[str, Any], layers: int) -> Iterator[dict[str, Any]]:
    """What the page asks about a state; about single cells it works out itself what the recipes say."""
    for layer in range(layers):
        for asked in ("walkthrough", "recipes"):
            yield {"ask": asked, "state": state} | ({"layer": layer} if layer else {})
    for flavour in ("numpy", "torch"):
        yield {"ask": "script", "state": state, "flavour": flavour}
