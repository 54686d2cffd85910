"""From a few cells to all of them, where cells are made alike: see `alike`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from clearhead.lenses.patterns.alike import Alike
from clearhead.lenses.patterns.flat import Flat, Shape
from clearhead.lenses.patterns.variants import Index, Variants, gathered, variants

Look = Callable[[Index], Flat]


def looked_at(shape: tuple[int, ...], look: Look, alike: Alike | None) -> Variants:
    """What stands in each place.

    In a row the first and the last cell of each kind are looked at, and in some rows one between. Rows that are made in
    a way of their own are all looked at, of others a few. What these do not tell is looked at cell by cell.

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
    for kind in np.unique(kinds).tolist():
        members = kinds == kind
        known: dict[int, int] = {}
        for row, closely in _rows(shape, np.flatnonzero(members.any(axis=1)), alike.by_row):
            here = np.flatnonzero(members[row])
            between = [int(here[len(here) // 2])] if closely else []
            for column in sorted({int(here[0]), *between, int(here[-1])}):
                one = look(tuple(map(int, np.unravel_index(row * width + column, shape))))
                things[row * width + column] = one
                variant = shapes.setdefault(one.shape, len(shapes))
                if known.setdefault(row if alike.by_row else -1, variant) != variant:
                    return None
        if alike.by_row:
            of_rows = np.zeros(len(kinds), np.int32)
            of_rows[list(known)] = list(known.values())
            which = np.where(members, of_rows[:, None], which)
        else:
            which[members] = known[-1]
    return gathered(shape, which.reshape(shape), things)


def _rows(shape: tuple[int, ...], there: np.ndarray, by_row: bool) -> Iterator[tuple[int, bool]]:
    """The rows to look at among those where there is such a cell, and whether closely."""
    ends = [sorted({0, size // 2, size - 1}) for size in shape[:-1]]
    corners = {int(np.ravel_multi_index(place, shape[:-1])) if place else 0 for place in product(*ends)}
    close = corners & set(there.tolist()) | {int(there[0]), int(there[len(there) // 2]), int(there[-1])}
    for row in there.tolist() if by_row else sorted(close):
        yield row, row in close
