"""Many things of few shapes, by place: each shape once, and of its numbers only what the place does not tell.

A number that is the same in all places of a shape, or an index of the place itself plus something, is said once; any
other is a column with an entry for each place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clearhead.lenses.patterns.flat import Flat, Shape

Rule = tuple[str, int, int] | tuple[str, float] | tuple[str, np.ndarray]
"""How a number follows from the place: ("is", number); ("at", axis, more): the index on the axis, and more; or
("of", column): the entry of the place's rank among those of its shape, in reading order."""

Index = tuple[int, ...]


@dataclass(frozen=True)
class Variant:
    """A shape, and the rules for its whole numbers and its numbers."""

    shape: Shape
    ints: tuple[Rule, ...]
    floats: tuple[Rule, ...]


@dataclass(frozen=True)
class Variants:
    """What stands in each place of an array.

    Attributes:
        variants: the shapes.
        which: (the array's shape) the variant of each place.
        ranks: (the array's shape) how many places of the same variant come before it in reading order.
    """

    variants: tuple[Variant, ...]
    which: np.ndarray
    ranks: np.ndarray = field(repr=False)

    def at(self, index: Index) -> Flat:
        """What stands in a place."""
        variant, rank = self.variants[int(self.which[index])], int(self.ranks[index])
        return Flat(
            variant.shape,
            tuple(int(_follow(rule, index, rank)) for rule in variant.ints),
            tuple(float(_follow(rule, index, rank)) for rule in variant.floats),
        )


def _follow(rule: Any, index: Index, rank: int) -> Any:
    match rule:
        case ("at", axis, more):
            return index[axis] + more
        case ("of", column):
            return column[rank]
    return rule[1]


def variants(shape: tuple[int, ...], things: Iterable[Flat]) -> Variants:
    """Gather what stands in each place.

    Args:
        shape: that of the array.
        things: what stands in each place, in reading order.
    """
    kinds: dict[Shape, int] = {}
    found: list[list[tuple[int, Flat]]] = []
    which = np.zeros(int(np.prod(shape, dtype=np.int64)), dtype=np.int32)
    for place, one in enumerate(things):
        kind = kinds.setdefault(one.shape, len(kinds))
        if kind == len(found):
            found.append([])
        found[kind].append((place, one))
        which[place] = kind
    ranks = np.zeros_like(which)
    made = []
    for common, all_of in zip(kinds, found, strict=True):
        places = [place for place, _ in all_of]
        ranks[places] = np.arange(len(places))
        index = np.stack(np.unravel_index(places, shape)) if shape else np.zeros((0, len(places)), np.int64)
        ints = np.array([one.ints for _, one in all_of], np.int64)
        floats = np.array([one.floats for _, one in all_of])
        made.append(Variant(common, _rules(ints, index), _rules(floats, None)))
    return Variants(tuple(made), which.reshape(shape), ranks.reshape(shape))


def _rules(numbers: np.ndarray, index: np.ndarray | None) -> tuple[Rule, ...]:
    """The rule of each column of numbers (places, how many); `index` is (axes, places)."""
    if not numbers.size:
        return ()
    return tuple(_rule(column, index) for column in numbers.T)


def _rule(column: np.ndarray, index: np.ndarray | None) -> Rule:
    first = column[0]
    if (column == first).all() or (column != column).all():  # NaN in all places is the same in all places
        return ("is", first.item())
    for axis, place in enumerate(index if index is not None else ()):
        more = first - place[0]
        if (column == place + more).all():
            return ("at", axis, int(more))
    return ("of", np.ascontiguousarray(column))
