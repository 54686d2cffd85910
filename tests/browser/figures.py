"""Which cell of which quantity each table cell of the page stands for, worked out apart from the page's own code."""

import itertools
from dataclasses import dataclass

import clearhead as ch
from clearhead.lenses.walkthrough import stop_views

Place = tuple[str, int, int]
"""Which matrix ("stop/quantity/head"), row and column."""

Ref = tuple[str, tuple[int, ...]]
"""A quantity and the index of a cell."""


@dataclass
class Drawn:
    """Every drawn cell of a page that shows `trace`, and the other way round."""

    cells: dict[Place, Ref]

    @property
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


def drawn(trace: ch.Trace, query: int = 0) -> Drawn:
    """The cells that the page draws for a trace with its asides, when the comparisons are about `query`."""
    cells: dict[Place, Ref] = {}
    for stop in stop_views(trace):
        for name in stop["quantities"]:
            _whole(cells, stop["id"], trace[name], query)
        for aside in stop.get("asides", []):
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
