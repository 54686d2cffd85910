"""The walkthrough of one head of a captured model. Its words are in captured.toml beside this file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from clearhead.core.ops import Copy, Masked, ScaleByRoot
from clearhead.lenses.walkthrough.folds import Folds
from clearhead.lenses.walkthrough.stops import Layer, Stop, read_stop
from clearhead.lenses.walkthrough.view import Difference, quantity_views, stop_view
from clearhead.messages import Quantity
from clearhead.messages import Stop as StopView
from clearhead.trace.trace import Trace

BESIDE = frozenset({"bias", "sink", "allowed"})
"""What is given to a head beside queries, keys and values, and belongs to later stops."""

WHAT = {"Q": "queries", "K": "keys", "V": "values"}

FIRST, LAST = "projections", "output"
BUFFERS = ("values", "difference", "forbidden")
"""The fields of a quantity's view that name a buffer of its shape."""


@dataclass(frozen=True)
class CapturedHead(Layer):
    """The trace of one head of a captured model, as a layer whose names are bare."""

    @property
    def count(self) -> int:
        """One: the trace has the quantities of no other layer."""
        return 1

    @property
    def below(self) -> list[str]:
        """What Q, K and V are made of and they themselves: all that stands before the scores."""
        names = list(self.trace)
        return [name for name in names[: names.index("scores")] if name not in BESIDE]

    @property
    def above(self) -> list[str]:
        """What is made of the weighted sum."""
        names = list(self.trace)
        after = names[names.index("mixed") + 1 :]
        return [name for name in after if name not in ("switched_off", *self.below)]

    @property
    def switches(self) -> dict[str, Any]:
        """What a paragraph's `when` can ask for; captured.toml lists it."""
        has = {name: name in self.trace for name in ("bias", "sink", "changed")}
        return {
            **has, "scale": _scale(self.trace), "soft_cap": "soft_capped" in self.trace, "mask": _mask(self.trace),
            "off": "switched_off" in self.trace, "below": self.trace["Q"].operation is not None,
            "W_O": bool(self.above), "cross": "keys" in self.trace.provenance,
        }  # fmt: skip

    def says(self, name: str, operation: str) -> str:
        """What a quantity is: in this walkthrough's words, or in those of the worked examples."""
        return _says().get(name) or super().says(name, operation)

    @property
    def moving(self) -> list[str]:
        """Nothing is trained here."""
        return []


def _scale(trace: Trace) -> str:
    """How the scores are scaled."""
    operation = trace["scaled"].operation
    return (
        "root" if isinstance(operation, ScaleByRoot) else "none" if isinstance(operation, Copy) else "factor"
    )


def _mask(trace: Trace) -> str:
    """How the mask is known."""
    operation = trace["masked"].operation
    assert isinstance(operation, Masked)  # every head has this step
    if "allowed" in trace:
        return "cells"
    return "none" if operation.mask == "none" else "named"


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads((files("clearhead.lenses.walkthrough") / "captured.toml").read_text("utf-8"))


@cache
def _says() -> dict[str, str]:
    """What each quantity is in a few words, those on the way to queries, keys and values spelt out for each of them."""
    parts = {
        form.format(letter): text.format(what=what)
        for letter, what in WHAT.items()
        for form, text in _words()["parts"].items()
    }
    return parts | _words()["says"]


@cache
def captured_stops() -> tuple[Stop, ...]:
    """The stops of a captured head, in order."""
    return tuple(read_stop(entry) for entry in _words()["stop"])


def stops_of(head: CapturedHead) -> Iterator[Stop]:
    """The stops that this head has, the first and the last with what there is of them."""
    for stop in captured_stops():
        if stop.id == FIRST:
            made = [name for name in head.below if head.trace[name].operation is not None]
            yield replace(stop, quantities=tuple(head.below), makes=tuple(made))
        elif stop.id == LAST:
            if head.above:
                yield replace(stop, quantities=(*stop.quantities, *head.above), makes=tuple(head.above))
        elif stop.stands(head):
            yield stop


def captured_walk(
    trace: Trace, query: int, difference: Difference | None = None
) -> tuple[list[Quantity], list[StopView], list[np.ndarray]]:
    """The quantities of a head, long axes folded around one query, its stops, and the buffers that the first name.

    Args:
        trace: the head, or its trace for this query alone (see `clearhead.trace.capture.capture.Capture.head`).
        query: the row that is looked at.
        difference: gives what changed in a quantity, if there is something to compare with.
    """
    head = CapturedHead(trace)
    views, buffers = quantity_views(head, (), difference)
    folds = Folds(trace, query)
    for view in views:
        _fold(view, folds, buffers)
    return views, [stop_view(head, stop) for stop in stops_of(head)], buffers


def _fold(view: Quantity, folds: Folds, buffers: list[np.ndarray]) -> None:
    """Cut what is sent of a quantity to the places that its long axes are folded to."""
    found = folds.of(view["name"])
    if not any(found):
        return
    starts = folds.trace[view["name"]].starts
    places = [
        range(size) if fold is None else [place - start for place in fold["places"]]
        for fold, size, start in zip(found, view["shape"], starts, strict=True)
    ]
    for name in BUFFERS:
        if name in view:
            buffers[view[name]] = buffers[view[name]][np.ix_(*places)]  # type: ignore[literal-required]
    view["shape"] = [len(part) for part in places]
    view["folds"] = found
