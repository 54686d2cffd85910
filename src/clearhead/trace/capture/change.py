"""A switch on a real model: one thing that its attention is to do otherwise, and how it is written."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

KINDS = ("mask", "scale", "off", "weight")
FORMS = '"no mask", "no scale", "off", each with a place before it or not, such as "L3 no mask", "encoder no mask" or '
FORMS += '"L3H1 off"; or "L3H1.weights[7,2] = 0.5"'
WRITTEN = re.compile(r"(?:(?P<place>\S+)\s+)?(?P<what>no\s+mask|no\s+scale|off)")
WEIGHT = re.compile(
    r"(?P<place>\S+)\.weights\[\s*(?P<query>\d+)\s*,\s*(?P<key>\d+)\s*\]\s*=\s*(?P<value>\S+)"
)
PLACE = re.compile(r"(?:(?P<tower>.+)\.)?(?P<layer>L\d+)?(?P<head>H\d+)?")


@dataclass(frozen=True)
class Change:
    """One change of a model's attention; `str(change)` is how it is written, `Change.read` reads that.

    Attributes:
        kind: "mask" (every query sees every key but padding), "scale" (scores are multiplied by 1), "off" (what a head
            mixed counts as 0) or "weight" (one weight is set, in every sequence; the rest of its row stays).
        layer: the number of the layer within its tower; None for every layer.
        head: for "off" and "weight"; None for every head.
        query: for "weight", the row, counted over the whole text, also when the model goes on by itself.
        key: for "weight", the column.
        value: for "weight", the number to set.
        tower: the tower's name; None for the main one if there is a layer, else for every one.

    Raises:
        ValueError: it is no such change; the message is one sentence.
    """

    kind: str
    layer: int | None = None
    head: int | None = None
    query: int | None = None
    key: int | None = None
    value: float | None = None
    tower: str | None = None

    def __post_init__(self) -> None:
        """Refuse what says nothing, in one sentence."""
        if self.kind not in KINDS:
            raise ValueError(
                f"change: {self.kind!r} is no kind of change; expected one of {', '.join(KINDS)}"
            )
        for name in ("layer", "head", "query", "key"):
            number = getattr(self, name)
            if number is not None and (type(number) is not int or number < 0):
                raise ValueError(f"change: {name} is {number!r}; expected a whole number from 0 on")
        if self.value is not None and not (_is_number(self.value) and math.isfinite(self.value)):
            raise ValueError(f"change: value is {self.value!r}; expected a finite number")
        if self.tower is not None and not isinstance(self.tower, str):
            raise ValueError(f"change: tower is {self.tower!r}; expected the name of a tower")
        needed = ("layer", "head", "query", "key", "value") if self.kind == "weight" else ()
        of_a_weight = set() if self.kind == "weight" else {"query", "key", "value"}
        excess = of_a_weight | ({"head"} if self.kind in ("mask", "scale") else set())
        if missing := [name for name in needed if getattr(self, name) is None]:
            raise ValueError(
                f"change: a weight set by hand needs {', '.join(needed)}; {missing[0]} is missing"
            )
        if beside := [name for name in sorted(excess) if getattr(self, name) is not None]:
            whole = ": a mask and a scale are those of a whole layer" if beside[0] == "head" else ""
            raise ValueError(f'change: "{self.kind}" takes no {beside[0]}{whole}')

    @staticmethod
    def read(change: Change | str | Mapping[str, Any]) -> Change:
        """A change as a person writes it, or as JSON-able data with the names of the attributes.

        Raises:
            ValueError: it is none; the message says what is expected.
        """
        if isinstance(change, Change):
            return change
        if isinstance(change, Mapping):
            return _of_data(change)
        if not isinstance(change, str):
            raise ValueError(f"change: got {type(change).__name__}; expected {FORMS}")
        if weight := WEIGHT.fullmatch(change.strip()):
            place = _place(weight["place"], change)
            return Change("weight", **place, query=int(weight["query"]), key=int(weight["key"]),
                          value=_number(weight["value"], change))  # fmt: skip
        if written := WRITTEN.fullmatch(change.strip()):
            kind = written["what"].split()[-1]
            return Change(kind, **_place(written["place"] or "", change))
        raise ValueError(f"change: {change!r} is none; expected {FORMS}")

    def data(self) -> dict[str, Any]:
        """What there is of it, as JSON-able data; `read` takes it back."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def __str__(self) -> str:
        """The change as it is written, such as "encoder.L3H1 off"."""
        number = "" if self.layer is None else f"L{self.layer}"
        place = number + ("" if self.head is None else f"H{self.head}")
        place = ".".join(part for part in (self.tower, place) if part)
        if self.kind == "weight":
            return f"{place}.weights[{self.query},{self.key}] = {self.value!r}"
        what = "off" if self.kind == "off" else f"no {self.kind}"
        return f"{place} {what}" if place else what


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(text: str, change: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"change: {text!r} in {change!r} is no number; expected one such as 0.5") from None


def _place(text: str, change: str) -> dict[str, Any]:
    """Tower, layer and head: "encoder.L3H1", "L3", "H1", or the name of a tower alone."""
    if not text:
        return {}
    found = PLACE.fullmatch(text)
    if found is None or not (found["layer"] or found["head"]):
        if re.fullmatch(r"[A-Za-z_][\w.-]*(?<!\.)", text):
            return {"tower": text}
        raise ValueError(
            f"change: {text!r} in {change!r} is no place; expected one such as L3, L3H1 or encoder.L3H1"
        )
    numbers = {name: int(found[name][1:]) for name in ("layer", "head") if found[name]}
    return {"tower": found["tower"], **numbers}


def _of_data(data: Mapping[str, Any]) -> Change:
    names = [part.name for part in fields(Change)]
    if unknown := [name for name in data if name not in names]:
        raise ValueError(f"change: {unknown[0]!r} is no part of one; expected some of {', '.join(names)}")
    if "kind" not in data:
        raise ValueError(f"change: kind is missing; expected one of {', '.join(KINDS)}")
    return Change(**data)


Changes = Change | str | Mapping[str, Any]


def read_changes(changes: Changes | Iterable[Changes]) -> tuple[Change, ...]:
    """The changes as a person gives them: one or many, each a `Change`, its text or its data.

    Raises:
        ValueError: one of them is none.
    """
    if isinstance(changes, Change | str | Mapping):
        return (Change.read(changes),)
    return tuple(map(Change.read, changes))
