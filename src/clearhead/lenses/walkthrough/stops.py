"""The stops of the walkthrough. Their words are in stops.toml beside this file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from clearhead.core.names import gradient_of, scope, taken_apart
from clearhead.trace.trace import Trace


@dataclass(frozen=True)
class Layer:
    """One layer of a trace: the names of a stop are bare, and mean this layer's quantities where it has them."""

    trace: Trace
    number: int = 0

    @property
    def count(self) -> int:
        """How many layers the model has."""
        return int(self.trace.provenance["settings"]["layers"])

    def full(self, name: str) -> str:
        """The full name of what a stop calls `name`."""
        here = scope(self.number, self.count) + name
        return here if here in self.trace else name

    def present(self, names: Sequence[str]) -> list[str]:
        """The full names of those that the trace has."""
        return [full for name in names if (full := self.full(name)) in self.trace]

    def says(self, name: str, operation: str) -> str:
        """What a quantity is, in a few words; `operation` is the name of the one that made it."""
        return says(name, operation)

    @property
    def switches(self) -> dict[str, Any]:
        """What a paragraph's `when` can ask for; stops.toml lists it."""
        shared = {"tied": "W_U" not in self.trace, "loss": "loss" in self.trace}
        place = {"last": self.number == self.count - 1, "first": self.number == 0, "several": self.count > 1}
        has = {name: self.full(name) in self.trace for name in ("W_O", "W_1")}
        return {**self.trace.provenance["settings"], **shared, **place, **has}

    @property
    def moving(self) -> list[str]:
        """The full names of the parameters that are updated, E first: those of this layer and those of none."""
        before = scope(self.number, self.count)
        return [
            name for name, one in self.trace.items()
            if one.operation is None and gradient_of(name) in self.trace and taken_apart(name)[0] in ("", before)
        ]  # fmt: skip


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
    needs: tuple[str, ...] = ()

    def answered(self, layer: Layer) -> bool:
        """Whether the quantities it needs are there."""
        needed = self.needs or self.quantities
        return len(layer.present(needed)) == len(needed)


@dataclass(frozen=True)
class Stop:
    """One step of the walkthrough.

    Attributes:
        id: its name in addresses and commands.
        title: its heading.
        short: its name in the pipeline bar.
        text: paragraphs on what the step is for; see `paragraphs`.
        quantities: what it shows, in order; those that a variation does not have are left out.
        makes: which of them this step makes, so that their formulas belong here; a stop of which the trace has none is
            left out.
        each: patterns of the names to show for E, and for every other parameter in an aside of its own.
        asides: questions beside it.
    """

    id: str
    title: str
    short: str
    text: tuple[Paragraph, ...]
    quantities: tuple[str, ...]
    makes: tuple[str, ...]
    each: tuple[str, ...] = ()
    asides: tuple[Aside, ...] = ()

    def stands(self, layer: Layer) -> bool:
        """Whether this layer has anything of the stop."""
        return not self.makes or bool(layer.present(self.makes))

    def shown(self, layer: Layer) -> list[str]:
        """The full names of what it shows."""
        first = [_filled(pattern, "E") for pattern in self.each]
        return layer.present(tuple(dict.fromkeys((*self.quantities, *first))))

    def answered(self, layer: Layer) -> list[Aside]:
        """The questions beside this stop that the trace has the numbers for, their quantities by full name."""
        asides = [replace(aside, quantities=tuple(layer.present(aside.quantities)))
                  for aside in self.asides if aside.answered(layer)]  # fmt: skip
        others = [name for name in layer.moving if name != "E"] if self.each else []
        return asides + [_update_of(name, self.each, layer) for name in others]

    def paragraphs(self, layer: Layer) -> tuple[str, ...]:
        """The paragraphs that are true of this layer."""
        switches = layer.switches
        return tuple(paragraph.say for paragraph in self.text if paragraph.holds(switches))


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads((files("clearhead.lenses.walkthrough") / "stops.toml").read_text("utf-8"))


@cache
def stops() -> tuple[Stop, ...]:
    """The stops, in order."""
    return tuple(read_stop(entry) for entry in _words()["stop"])


def read_stop(entry: dict[str, Any]) -> Stop:
    """A stop from its entry in a file of words."""
    fields = _tuples(entry)
    text = tuple(_paragraph(part) for part in entry["text"])
    return Stop(**fields | {"text": text}, asides=tuple(_aside(aside) for aside in entry.get("aside", ())))


def _aside(entry: dict[str, Any]) -> Aside:
    return Aside(**_tuples(entry) | {"text": tuple(_flowing(text) for text in entry["text"])})


def _paragraph(part: str | dict[str, Any]) -> Paragraph:
    if isinstance(part, str):
        return Paragraph(_flowing(part), {})
    return Paragraph(_flowing(part["say"]), part["when"])


def _update_of(name: str, each: Sequence[str], layer: Layer) -> Aside:
    """The update of one parameter beside that of E."""
    bare = taken_apart(name)[1]
    quantities = tuple(layer.present([_filled(pattern, name) for pattern in each]))
    text = (f"The same for {bare}: each of its numbers moves against its own gradient.",)
    return Aside(f"update-{bare}", f"The update of {bare}", text, quantities)


def _filled(pattern: str, name: str) -> str:
    """A pattern of quantity names with a parameter in it: "{}_next" or "d{}", the scope in front."""
    before, bare = taken_apart(name)
    return before + pattern.format(bare)


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
    bare = taken_apart(name)[1]
    words = _words()
    off: str | None = words["switched_off"].get(bare) if operation == "copy" else None
    known: str | None = off or words["says"].get(bare)
    return known or _of_the_loop(bare, words["loop"])


def _of_the_loop(name: str, patterns: Mapping[str, str]) -> str:
    """What a gradient or a part of an update is, from the form of its name."""
    if name.startswith("d"):
        of, _, consumer = name[1:].partition("_from_")
        return patterns["part" if consumer else "gradient"].format(of=of, consumer=consumer)
    ending = next(ending for ending in patterns if name.endswith(f"_{ending}"))
    return patterns[ending].format(of=name.removesuffix(f"_{ending}"))
