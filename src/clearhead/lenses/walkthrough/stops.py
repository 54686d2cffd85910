"""The stops of the walkthrough. Their words are in stops.toml beside this file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Aside:
    """A question beside a stop, answered on the numbers at hand."""

    id: str
    title: str
    text: tuple[str, ...]
    quantities: tuple[str, ...]


@dataclass(frozen=True)
class Stop:
    """One step of the walkthrough.

    Attributes:
        id: its name in addresses and commands.
        title: its heading.
        short: its name in the pipeline bar.
        text: paragraphs on what the step is for.
        quantities: what it shows, in order; those that a variation does not have are left out.
        makes: which of them this step makes, so that their formulas belong here.
        asides: questions beside it.
    """

    id: str
    title: str
    short: str
    text: tuple[str, ...]
    quantities: tuple[str, ...]
    makes: tuple[str, ...]
    asides: tuple[Aside, ...] = ()


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads((files("clearhead.lenses.walkthrough") / "stops.toml").read_text("utf-8"))


@cache
def stops() -> tuple[Stop, ...]:
    """The stops, in order."""
    return tuple(_stop(entry) for entry in _words()["stop"])


def _stop(entry: dict[str, Any]) -> Stop:
    asides = tuple(Aside(**_plain(aside)) for aside in entry.get("aside", ()))
    return Stop(**_plain({key: value for key, value in entry.items() if key != "aside"}), asides=asides)


def _plain(entry: dict[str, Any]) -> dict[str, Any]:
    """Lists as tuples, and every line break inside a paragraph a space."""
    return {
        key: tuple(" ".join(text.split()) for text in value) if isinstance(value, list) else value
        for key, value in entry.items()
    }


def stop_named(name: str) -> Stop:
    """The stop with that id, or else the first that shows a quantity of that name.

    Raises:
        ValueError: names the stops there are.
    """
    for stop in stops():
        if stop.id == name:
            return stop
    for stop in stops():
        if name in (*stop.makes, *stop.quantities):
            return stop
    raise ValueError(f"no step is named {name!r}; expected one of {', '.join(stop.id for stop in stops())}")


def says(name: str, operation: str) -> str:
    """What a quantity is, in a few words; `operation` is the name of the one that made it."""
    words = _words()
    off: str | None = words["switched_off"].get(name) if operation == "copy" else None
    return off or str(words["says"][name])
