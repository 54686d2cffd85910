"""The stops of the walkthrough. Their words are in stops.toml beside this file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from clearhead.trace.trace import Trace


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, and when it is true: for each switch it names, the values at which it holds."""

    say: str
    when: Mapping[str, Sequence[Any]]

    def holds(self, switches: Mapping[str, Any]) -> bool:
        """Whether the paragraph belongs to these switches."""
        return all(switches[name] in values for name, values in self.when.items())


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
        text: paragraphs on what the step is for; see `paragraphs`.
        quantities: what it shows, in order; those that a variation does not have are left out.
        makes: which of them this step makes, so that their formulas belong here.
        asides: questions beside it.
    """

    id: str
    title: str
    short: str
    text: tuple[Paragraph, ...]
    quantities: tuple[str, ...]
    makes: tuple[str, ...]
    asides: tuple[Aside, ...] = ()

    def answered(self, trace: Trace) -> tuple[Aside, ...]:
        """The questions beside this stop that the trace has the numbers for."""
        return tuple(aside for aside in self.asides if all(name in trace for name in aside.quantities))

    def paragraphs(self, trace: Trace) -> tuple[str, ...]:
        """The paragraphs that are true of this trace."""
        switches = {**trace.provenance["settings"], "W_O": "W_O" in trace}
        return tuple(paragraph.say for paragraph in self.text if paragraph.holds(switches))


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads((files("clearhead.lenses.walkthrough") / "stops.toml").read_text("utf-8"))


@cache
def stops() -> tuple[Stop, ...]:
    """The stops, in order."""
    return tuple(_stop(entry) for entry in _words()["stop"])


def _stop(entry: dict[str, Any]) -> Stop:
    fields = _tuples(entry)
    text = tuple(_paragraph(part) for part in entry["text"])
    return Stop(**fields | {"text": text}, asides=tuple(_aside(aside) for aside in entry.get("aside", ())))


def _aside(entry: dict[str, Any]) -> Aside:
    return Aside(**_tuples(entry) | {"text": tuple(_flowing(text) for text in entry["text"])})


def _paragraph(part: str | dict[str, Any]) -> Paragraph:
    if isinstance(part, str):
        return Paragraph(_flowing(part), {})
    return Paragraph(_flowing(part["say"]), part["when"])


def _tuples(entry: dict[str, Any]) -> dict[str, Any]:
    """The plain fields of an entry, its lists as tuples."""
    plain = {key: value for key, value in entry.items() if key not in ("text", "aside")}
    return {key: tuple(value) if isinstance(value, list) else value for key, value in plain.items()}


def _flowing(text: str) -> str:
    """The text with every line break a space."""
    return " ".join(text.split())


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
