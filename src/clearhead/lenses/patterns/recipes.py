"""The recipes of a quantity, where its cells go, and what is said of them, as patterns."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from clearhead.core.ops.base import Operation, Pattern
from clearhead.lenses.patterns.alike import Alike, fed_alike, made_alike, noted_alike
from clearhead.lenses.patterns.flat import Flat, flat
from clearhead.lenses.patterns.sampling import Look, looked_at
from clearhead.lenses.patterns.variants import Variants
from clearhead.trace.quantity import Quantity

WHOLE = re.compile(r"(?<![\w.])(?:0|[1-9]\d{0,8})(?![\w.]*\d)")
"""A whole number that stands by itself in a sentence."""


@dataclass
class Patterns:
    """Finds patterns, of whole quantities. Those that are made alike, as of many heads, share what was found."""

    _known: dict[object, Variants] = field(default_factory=dict)

    def recipes(self, quantity: Quantity) -> Variants | None:
        """The recipes of all cells; None for a quantity that was given: each is its number."""
        if quantity.operation is None:
            return None
        return self._of(quantity, "recipe", lambda place: flat(quantity.recipe(place)))

    def notes(self, quantity: Quantity) -> Variants | None:
        """What is said of each cell beside its arithmetic, None where nothing is said of any.

        The shape of a sentence is what stands between its whole numbers; of nothing it is empty.
        """
        if quantity.operation is None or type(quantity.operation).note is Operation.note:
            return None
        found = self._of(quantity, "note", lambda place: _said(quantity.note(place)))
        return found if any(one.shape for one in found.variants) else None

    def feeds(self, given: Quantity, consumer: Quantity, slot: int) -> Variants:
        """The cells of a quantity that each cell of its input number `slot` has a part in.

        The shape of several of them is a tuple with one part for each, which says of every axis whether it is one
        place ("place", whose number is among the whole numbers) or all ("every").
        """
        assert consumer.operation is not None  # it has inputs
        arrays = [one.values for one in consumer.inputs]
        alike = fed_alike(consumer.operation, slot, arrays)
        key = (f"feeds {slot}", consumer.operation, *(array.shape for array in arrays))
        return self._remembered(key, alike, given.shape, lambda place: _fed(consumer.fed_by(slot, place)))

    def _of(self, quantity: Quantity, what: str, look: Look) -> Variants:
        operation, arrays = quantity.operation, [one.values for one in quantity.inputs]
        assert operation is not None  # a given quantity has no recipes
        alike = (noted_alike if what == "note" else made_alike)(operation, arrays, quantity.shape)
        key = (what, operation, *(array.shape for array in arrays))
        return self._remembered(key, alike, quantity.shape, look)

    def _remembered(
        self, key: tuple[object, ...], alike: Alike | None, shape: tuple[int, ...], look: Look
    ) -> Variants:
        make: Callable[[], Variants] = lambda: looked_at(shape, look, alike)  # noqa: E731
        if alike is None or alike.by_row:  # the numbers decide
            return make()
        key = (*key, alike.kinds.tobytes())
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]


def _fed(cells: list[Pattern]) -> Flat:
    shape = tuple(tuple("every" if at is None else "place" for at in cell) for cell in cells)
    return Flat(shape, tuple(at for cell in cells for at in cell if at is not None))


def _said(note: str | None) -> Flat:
    if not note:
        return Flat(())
    return Flat(tuple(WHOLE.split(note)), tuple(map(int, WHOLE.findall(note))))


def told(given: Flat) -> str | None:
    """Put a sentence together again."""
    if not given.shape:
        return None
    pieces = list(given.shape)
    return pieces[0] + "".join(
        f"{number}{piece}" for number, piece in zip(given.ints, pieces[1:], strict=True)
    )
