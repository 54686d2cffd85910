"""A worked example, or the training of one, as answers that are worked out beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import product
from typing import Any

from clearhead.session.door import Session
from clearhead.session.kept.kept import Kept
from clearhead.sources.worked import Example
from clearhead.sources.worked.example import SWITCHES
from clearhead.sources.worked.training.run import TrainingRun

Progress = Callable[[int, int], None]
"""Told how many states are done, and of how many."""

CHOICES: Mapping[str, Callable[[Example], Sequence[Any]]] = {
    "mask": lambda _: ("none", "causal"),
    "scale": lambda _: (True, False),
    "heads": lambda example: example.head_choices,
}
"""The switches that are kept, with what they can be set to; all of them together are worked out."""

MOST_STEPS = 24
"""Steps of a training that are kept, spread over it, the first and the last among them."""


def keep_example(example: Example, name: str, tell: Progress | None = None) -> Kept:
    """The walkthrough of an example with its switches.

    Args:
        example: which.
        name: what it is called on the page.
        tell: see `Progress`.
    """
    session = Session({name: example})
    kept = _begun(session, example, name, f"example={_written(name)}")
    ways = list(product(*(choices(example) for choices in CHOICES.values())))
    own = kept.own
    for done, way in enumerate(ways):
        changed = {field: value for field, value in zip(CHOICES, way, strict=True) if value != own[field]}
        _keep_state(session, kept, {"example": name} | changed, len(example.layer_weights))
        if tell is not None:
            tell(done + 1, len(ways))
    return kept


def keep_training(run: TrainingRun, name: str, tell: Progress | None = None) -> Kept:
    """The training of an example, step by step.

    Args:
        run: which.
        name: what the example is called on the page.
        tell: see `Progress`.
    """
    session = Session({name: run.start})
    session.states.runs[name] = run
    optimiser = run.optimiser
    plan = {"optimizer": optimiser.kind, "learning_rate": optimiser.rate, "steps": run.steps}
    trained = {"example": name, "training": plan}
    steps = spread(run.recorded, MOST_STEPS)
    address = (
        f"example={_written(name)}&training={optimiser.kind}:{optimiser.rate!r}:{run.steps}&step={steps[-1]}"
    )
    kept = _begun(session, run.start, name, address)
    kept.parts, kept.steps = ("training",), tuple(steps)
    kept.put({"ask": "training", "state": trained}, session.ask({"ask": "training", "state": trained}))
    for done, step in enumerate(steps):
        _keep_state(session, kept, trained | {"step": step}, len(run.start.layer_weights))
        if tell is not None:
            tell(done + 1, len(steps))
    return kept


def spread(places: Sequence[int], most: int) -> list[int]:
    """So many of the places at most, from the first to the last."""
    if len(places) <= most:
        return list(places)
    return [places[at * (len(places) - 1) // (most - 1)] for at in range(most)]


def _begun(session: Session, example: Example, name: str, address: str) -> Kept:
    settings = asdict(example.settings)
    own = {switch: settings[switch] for switch in SWITCHES if switch in settings}
    kept = Kept(example.title or name, address, own=own)
    told = session.ask({"ask": "examples"})
    this = [one for one in told.data["examples"] if one["name"] == name]  # type: ignore[typeddict-item]
    told.data["examples"] = this  # type: ignore[typeddict-unknown-key]
    kept.put({"ask": "examples"}, told)
    return kept


def _keep_state(session: Session, kept: Kept, state: Mapping[str, Any], layers: int) -> None:
    for message in _messages(state, layers):
        view = session.ask(message)
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


def _written(name: str) -> str:
    """A name as it stands in an address."""
    from urllib.parse import quote

    return quote(name, safe="")
