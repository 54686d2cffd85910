"""Which cell of which quantity each table cell of the page stands for, worked out apart from the page's own code."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import clearhead as ch
from clearhead.lenses.walkthrough import Layer, stop_views
from clearhead.session.states import States
from clearhead.sources.worked.run import with_asides

Place = tuple[str, int, int]
"""Which matrix ("stop/quantity/head"), row and column."""

Ref = tuple[str, tuple[int, ...]]
"""A quantity and the index of a cell."""


@dataclass
class Drawn:
    """Every drawn cell of a page that shows a layer, and the other way round."""

    cells: dict[Place, Ref]

    @cached_property
    def places(self) -> dict[Ref, set[Place]]:
        found: dict[Ref, set[Place]] = {}
        for place, ref in self.cells.items():
            found.setdefault(ref, set()).add(place)
        return found

    def matching(self, quantity: str, pattern: list[int | None]) -> set[Place]:
        """The places of a quantity's cells; None in the pattern stands for every index along its axis."""
        return {
            place
            for place, (name, index) in self.cells.items()
            if name == quantity and all(p is None or p == i for p, i in zip(pattern, index, strict=True))
        }


COMPARED = ("scaling", "contribution")
"""The side remarks that stand open; the others are folded, and drawn when they are unfolded."""


def page(state: Mapping[str, Any], layer: int = 0, own: Mapping[str, ch.Example] | None = None) -> Layer:
    """What the page shows of a state: one layer's walk to the loss and back, with its side remarks.

    `own` are the examples that the state may name beside those that ship.
    """
    trace = States(own or {}).loop({"state": state})
    return Layer(with_asides(trace, layer), layer)


def drawn(layer: Layer, query: int = 0) -> Drawn:
    """The cells that the page draws of a layer, when the comparisons are about `query`."""
    trace = layer.trace
    cells: dict[Place, Ref] = {}
    for stop in stop_views(layer):
        for name in stop["quantities"]:
            _whole(cells, stop["id"], trace[name], query)
        for aside in stop.get("asides", []):
            if aside["id"] not in COMPARED:
                continue
            for name in aside["quantities"]:
                if name != "contribution":
                    _whole(cells, f"{aside['id']}-whole", trace[name], query)
    for head in range(trace["weights"].shape[0]):
        for row, how in enumerate(["scaled", "unscaled"]):
            _row(cells, f"scaling/weights/{head}", row, trace[f"weights_{how}"], (head, query))
            _row(cells, f"scaling/sensitivity/{head}", row, trace[f"sensitivity_{how}"], (head, query))
        _row(cells, "contribution/weights", head, trace["weights"], (head, query))
    for name in ("size", "share"):
        _row(cells, f"contribution/{name}", 0, trace[f"contribution_{name}"], (query,))
    _whole(cells, "contribution", trace["contribution"], query)
    return Drawn(cells)


def _whole(cells: dict[Place, Ref], stop: str, quantity: ch.Quantity, query: int) -> None:
    if len(quantity.shape) < 2:
        # A vector is one row, and a single number one cell, whose index is empty.
        for index in itertools.product(*map(range, quantity.shape)):
            cells[f"{stop}/{quantity.name}/all", 0, *(index or (0,))] = (quantity.name, index)
        return
    *leading, rows, columns = quantity.shape
    by_head = quantity.axes[0] == "head"
    for outer in range(leading[0]) if by_head else [query] if leading else [None]:
        key = f"{stop}/{quantity.name}/{outer if by_head else 'all'}"
        prefix = () if outer is None else (outer,)
        for row, column in itertools.product(range(rows), range(columns)):
            cells[key, row, column] = (quantity.name, (*prefix, row, column))


def _row(cells: dict[Place, Ref], key: str, row: int, quantity: ch.Quantity, prefix: tuple[int, ...]) -> None:
    for column in range(quantity.shape[-1]):
        cells[key, row, column] = (quantity.name, (*prefix, column))
