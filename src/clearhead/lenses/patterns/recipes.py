"""The recipes of a quantity, where its cells go, and what is said of them, as patterns."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clearhead.core.ops.base import Index, Pattern
from clearhead.lenses.patterns.flat import Flat, flat
from clearhead.lenses.patterns.variants import Variants, variants
from clearhead.trace.quantity import Quantity


def recipe_patterns(quantity: Quantity) -> Variants | None:
    """The recipes of all cells; None for a quantity that was given: each is its number."""
    if quantity.operation is None:
        return None
    return variants(quantity.shape, (flat(quantity.recipe(place)) for place in _places(quantity)))


def feed_patterns(given: Quantity, consumer: Quantity, slot: int) -> Variants:
    """The cells of a quantity that each cell of its input number `slot` has a part in.

    The shape of several of them is a tuple with one part for each, which says of every axis whether it is one place
    ("place", whose number is among the whole numbers) or all ("every").
    """
    return variants(given.shape, (_fed(consumer.fed_by(slot, place)) for place in _places(given)))


def _fed(cells: list[Pattern]) -> Flat:
    shape = tuple(tuple("every" if at is None else "place" for at in cell) for cell in cells)
    return Flat(shape, tuple(at for cell in cells for at in cell if at is not None))


def notes_of(quantity: Quantity) -> tuple[list[str], np.ndarray | None]:
    """What is said of cells beside their arithmetic: each sentence once, and for each cell which, from 1; 0 is none."""
    said: dict[str, int] = {}
    which = np.zeros(quantity.shape, dtype=np.uint8)
    for place in _places(quantity) if quantity.operation is not None else ():
        note = quantity.note(place)
        if note is not None:
            which[place] = said.setdefault(note, len(said) + 1)
    return list(said), which if said else None


def _places(quantity: Quantity) -> Iterator[Index]:
    return np.ndindex(*quantity.shape)
