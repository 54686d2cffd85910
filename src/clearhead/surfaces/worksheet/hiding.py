"""Which cells of a worksheet are asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.core.names import taken_apart
from clearhead.surfaces.worksheet.chance import dice_of
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace

ASKED = re.compile(
    r"\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)\s*(?:\[([^\[\]]*)\]|:\s*(\d{1,3}(?:\.\d{1,3})?)\s*%)?\s*", re.ASCII
)
PLACE = re.compile(r"\s*(-?\d{1,9})?\s*(?:(:)\s*(-?\d{1,9})?)?\s*", re.ASCII)

FORM = "expected a quantity, a part of it or a share of it, such as weights, weights[0,:] or weights:30%"

Hidden = dict[str, np.ndarray]
"""By the names of quantities: True where a cell is left empty."""


@dataclass(frozen=True)
class Ask:
    """One thing that was asked to be hidden.

    Attributes:
        text: how it was written.
        name: the quantity: by its full name, or by its bare one for that of every layer.
        places: a number or a slice for each of its first axes; empty for all of it.
        share: of its cells, 0 to 1.
    """

    text: str
    name: str
    places: tuple[int | slice, ...] = ()
    share: float = 1.0


def read_hide(hide: str | Iterable[str]) -> list[Ask]:
    """What is to be hidden, from "weights,output", "weights[0,:]" or a list of such.

    Raises:
        ValueError: one of them has another form; the message says which was expected.
    """
    parts = [hide] if isinstance(hide, str) else list(hide)
    asks = [_ask(text) for part in parts for text in _separated(part)]
    if not asks:
        raise ValueError(f"hide: there is nothing to fill in; {FORM}")
    return asks


def _separated(text: object) -> list[str]:
    """At the commas that stand outside of brackets."""
    if not isinstance(text, str):
        raise ValueError(f"hide: {text!r} is no text; {FORM}")
    return re.split(r",(?![^\[]*\])", text)


def _ask(text: str) -> Ask:
    found = ASKED.fullmatch(text)
    if found is None:
        raise ValueError(f"hide: {text.strip()!r} cannot be read; {FORM}")
    name, places, share = found.groups()
    if share is not None and not 0 < float(share) <= 100:
        raise ValueError(f"hide: {text.strip()!r} has to be more than 0% and at most 100%")
    read = tuple(_place(text, place) for place in places.split(",")) if places is not None else ()
    return Ask(text.strip(), name, read, 1.0 if share is None else float(share) / 100)


def _place(text: str, place: str) -> int | slice:
    found = PLACE.fullmatch(place)
    if found is None or not (found[1] or found[2]):
        raise ValueError(f"hide: {place.strip()!r} in {text.strip()!r} is no place; expected 3, : or 0:2")
    start, colon, stop = found.groups()
    if not colon:
        return int(start)
    return slice(None if start is None else int(start), None if stop is None else int(stop))


def hidden_cells(trace: Trace, asks: Sequence[Ask], seed: int) -> Hidden:
    """The cells that are asked for.

    Args:
        trace: the computation.
        asks: what is to be hidden.
        seed: chooses the cells where a share of them is asked for; the same for all variants of a sheet.

    Raises:
        ValueError: there is no such quantity, it is given, or it has no such cell; the message says what there is.
    """
    hidden: Hidden = {}
    for ask in asks:
        for quantity in _quantities(trace, ask):
            mask = hidden.setdefault(quantity.name, np.zeros(quantity.shape, dtype=bool))
            mask |= _chosen(quantity, ask, seed)
    return hidden


def _quantities(trace: Trace, ask: Ask) -> list[Quantity]:
    made = [one for one in trace.values() if one.operation is not None]
    found = [one for one in made if ask.name in (one.name, taken_apart(one.name)[1])]
    if found:
        return found
    given = [one.name for one in trace.values() if one.operation is None]
    there = ", ".join(dict.fromkeys(taken_apart(one.name)[1] for one in made))
    if ask.name in given or ask.name in (taken_apart(name)[1] for name in given):
        raise ValueError(
            f"hide: {ask.name} is given, so that nobody could work it out; expected one of {there}"
        )
    raise ValueError(f"hide: no quantity is named {ask.name!r} here; expected one of {there}")


def _chosen(quantity: Quantity, ask: Ask, seed: int) -> np.ndarray:
    """(shape of the quantity) True at the cells that one ask means."""
    chosen = np.zeros(quantity.shape, dtype=bool)
    if len(ask.places) > len(quantity.shape):
        raise ValueError(
            f"hide: {ask.text!r} has {len(ask.places)} places; {quantity!r} has {len(quantity.axes)} axes"
        )
    for axis, place in enumerate(ask.places):
        if isinstance(place, int):
            try:
                quantity.place_on(axis, place)
            except IndexError as error:
                raise ValueError(f"hide: {error}") from None
    chosen[ask.places] = True
    if not chosen.any():
        raise ValueError(f"hide: {ask.text!r} means no cell of {quantity!r}")
    if ask.share < 1:
        order: list[int] = np.flatnonzero(chosen).tolist()
        dice_of(seed, quantity.name).shuffle(order)
        kept = order[: max(1, round(ask.share * len(order)))]
        chosen = np.zeros(quantity.shape, dtype=bool)
        chosen.ravel()[kept] = True
    return chosen
