"""Copies of what is hidden: they would give it away."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clearhead.core.expression import Cell
from clearhead.core.ops.base import Index
from clearhead.surfaces.worksheet.hiding import Hidden
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace


def with_copies(trace: Trace, hidden: Hidden) -> Hidden:
    """The hidden cells, and every made cell that holds the very number of one: a copy would give it away."""
    links = _copies(trace)
    waiting = [(name, index) for name, mask in hidden.items() for index in _cells(mask)]
    found = set(waiting)
    while waiting:
        for other in links.get(waiting.pop(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    masks: Hidden = {name: np.zeros(trace[name].shape, dtype=bool) for name, _ in found}
    for name, index in found:
        masks[name][index] = True
    return {name: masks[name] for name in trace if name in masks}


Place = tuple[str, Index]


def _copies(trace: Trace) -> dict[Place, list[Place]]:
    """For each cell those that hold the same number because one was copied from the other; given ones are left out."""
    links: dict[Place, list[Place]] = {}
    for quantity in trace.values():
        if quantity.operation is None:
            continue
        for index in np.ndindex(quantity.shape):
            recipe = quantity.recipe(index)
            if isinstance(recipe, Cell) and quantity.inputs[recipe.slot].operation is not None:
                here, there = (quantity.name, index), (quantity.inputs[recipe.slot].name, recipe.index)
                links.setdefault(here, []).append(there)
                links.setdefault(there, []).append(here)
    return links


def is_the_same(quantity: Quantity) -> Quantity | None:
    """The input whose numbers a quantity has, each in its place; None if it has others or in other places."""
    if quantity.operation is None or not quantity.values.size:
        return None
    for place, index in enumerate(np.ndindex(quantity.shape)):
        recipe = quantity.recipe(index)
        if not isinstance(recipe, Cell):
            return None
        source = quantity.inputs[recipe.slot]
        if (
            source.values.size != quantity.values.size
            or np.ravel_multi_index(recipe.index, source.shape) != place
        ):
            return None
    return source


def _cells(mask: np.ndarray) -> Iterator[Index]:
    return (tuple(map(int, place)) for place in np.argwhere(mask))
