"""From a few cells to all of them, where cells are made alike: see `alike`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product

import numpy as np

from clearhead.lenses.patterns.alike import Alike
from clearhead.lenses.patterns.flat import Flat, Shape
from clearhead.lenses.patterns.variants import Index, Variants, gathered, variants

Look = Callable[[Index], Flat]


CLOSELY = 3
"""In so many rows more than one cell of a kind and a shape is looked at."""


def looked_at(shape: tuple[int, ...], look: Look, alike: Alike | None) -> Variants:
    """What stands in each place.

    Of cells that are made alike the first of a row is looked at and, in the first few rows of each shape, the last and
    one between. Rows that are made in a way of their own are all looked at, of others a few. What these do not tell is
    looked at cell by cell.

    Args:
        shape: that of the array.
        look: tells what stands in one place.
        alike: which cells are made alike, if any are.
    """
    found = None if alike is None else _sampled(shape, look, alike)
    return variants(shape, map(look, np.ndindex(*shape))) if found is None else found


def _sampled(shape: tuple[int, ...], look: Look, alike: Alike) -> Variants | None:
    width = shape[-1]
    kinds = alike.kinds.reshape(-1, width)
    things: dict[int, Flat] = {}
    shapes: dict[Shape, int] = {}
    which = np.zeros(kinds.shape, np.int32)

    def variant_of(place: int) -> int:
        things[place] = look(tuple(map(int, np.unravel_index(place, shape))))
        return shapes.setdefault(things[place].shape, len(shapes))

    for kind in np.unique(kinds).tolist():
        members = kinds == kind
        found: dict[int, int] = {}
        close: Counter[int] = Counter()
        for row in _rows(shape, np.flatnonzero(members.any(axis=1)), alike.by_row):
            here = np.flatnonzero(members[row])
            variant = found[row] = variant_of(row * width + int(here[0]))
            close[variant] += 1
            if alike.by_row and close[variant] > CLOSELY:
                continue
            if {variant_of(row * width + int(here[at])) for at in {len(here) // 2, len(here) - 1}} != {
                variant
            }:
                return None
        if alike.by_row:
            of_rows = np.zeros(len(kinds), np.int32)
            of_rows[list(found)] = list(found.values())
            which = np.where(members, of_rows[:, None], which)
        elif len(set(found.values())) > 1:
            return None
        else:
            which[members] = next(iter(found.values()))
    return gathered(shape, which.reshape(shape), things)


def _rows(shape: tuple[int, ...], there: np.ndarray, by_row: bool) -> list[int]:
    """The rows to look at among those where there is such a cell."""
    if by_row:
        return there.tolist()
    ends = [sorted({0, size // 2, size - 1}) for size in shape[:-1]]
    corners = {int(np.ravel_multi_index(place, shape[:-1])) if place else 0 for place in product(*ends)}
    return sorted(
        corners & set(there.tolist()) | {int(there[0]), int(there[len(there) // 2]), int(there[-1])}
    )
