"""Many things of few shapes, by place: each shape once, and of its numbers only what the place does not tell.

A number that is the same in all places of a shape, or an index of the place itself plus something, is said once; one
that is the same along each row is a column with an entry for each row; any other has an entry for each place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from clearhead.lenses.patterns.flat import Flat, Shape

Rule = tuple[str, int, int] | tuple[str, float] | tuple[str, np.ndarray]
"""How a number follows from the place: ("is", number); ("at", axis, more): the index on the axis, and more; ("row",
column): the entry of the place's row, counted in reading order along all axes but the last; or ("of", column): the
entry of the place's rank among those of its shape, in reading order."""

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
    """

    variants: tuple[Variant, ...]
    which: np.ndarray

    @cached_property
    def ranks(self) -> np.ndarray:
        """(the array's shape) how many places of the same variant come before each place in reading order."""
        ranks = np.zeros(self.which.size, np.int64)
        for kind in range(len(self.variants)):
            places = np.flatnonzero(self.which == kind)
            ranks[places] = np.arange(len(places))
        return ranks.reshape(self.which.shape)

    def at(self, index: Index) -> Flat:
        """What stands in a place."""
        variant, rank = self.variants[int(self.which[index])], int(self.ranks[index])
        row = int(np.ravel_multi_index(index[:-1], self.which.shape[:-1])) if len(index) > 1 else 0
        return Flat(
            variant.shape,
            tuple(int(_follow(rule, index, row, rank)) for rule in variant.ints),
            tuple(float(_follow(rule, index, row, rank)) for rule in variant.floats),
        )


def _follow(rule: Any, index: Index, row: int, rank: int) -> Any:
    match rule:
        case ("at", axis, more):
            return index[axis] + more
        case ("row", column):
            return column[row]
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
    every = dict(enumerate(things))
    which = np.array([kinds.setdefault(one.shape, len(kinds)) for one in every.values()], np.int32)
    found = gathered(shape, which.reshape(shape), every)
    assert found is not None  # every place was looked at
    return found


def gathered(shape: tuple[int, ...], which: np.ndarray, things: Mapping[int, Flat]) -> Variants | None:
    """What stands in each place, from what stands in all of them or in some that tell of the others.

    Args:
        shape: that of the array.
        which: (shape) numbers that are the same where the same shape stands.
        things: what stands in some places, counted in reading order; in each row at least one of each shape in it, or
            in none where a rule for its numbers is found without.

    Returns:
        None: the numbers of these places do not tell those of the others.
    """
    flat = which.ravel()
    numbers, firsts = np.unique(flat, return_index=True)
    order = numbers[np.argsort(firsts)]  # in reading order
    looked = np.array(list(things), np.int64)
    made = []
    for number in order.tolist():
        members, places = np.flatnonzero(flat == number), looked[flat[looked] == number]
        one = _variant(shape, members, places, [things[place] for place in places.tolist()])
        if one is None:
            return None
        made.append(one)
    renamed = np.zeros(int(numbers.max(initial=0)) + 1, np.int32)
    renamed[order] = np.arange(len(order))
    return Variants(tuple(made), renamed[which])


def _variant(
    shape: tuple[int, ...], members: np.ndarray, places: np.ndarray, found: list[Flat]
) -> Variant | None:
    """The variant that stands in the places `members`, from what stands in some of them."""
    index = np.stack(np.unravel_index(places, shape)) if shape else np.zeros((0, len(places)), np.int64)
    width = shape[-1] if shape else 1
    rows = Rows(places // width, np.unique(members // width), int(np.prod(shape[:-1], dtype=np.int64)))
    whole = len(members) == len(places)

    def rules(numbers: np.ndarray, index: np.ndarray | None) -> list[Rule | None]:
        return [_rule(column, index, rows, whole) for column in numbers.T] if numbers.size else []

    ints = rules(np.array([one.ints for one in found], np.int64), index)
    floats = rules(np.array([one.floats for one in found], np.float64), None)
    if None in [*ints, *floats]:
        return None
    return Variant(found[0].shape, tuple(ints), tuple(floats))  # type: ignore[arg-type]  # none of them is None


@dataclass(frozen=True)
class Rows:
    """The row of each place that was looked at, the rows that there are of a variant, and how many there are of all."""

    looked: np.ndarray
    members: np.ndarray
    count: int

    def column(self, numbers: np.ndarray) -> np.ndarray | None:
        """(rows,) the number of each row; None if they differ within one, or not all rows were looked at."""
        if self.count < 2 or len(self.members) == len(self.looked):  # then it is no shorter
            return None
        found = np.zeros(self.count, numbers.dtype)
        found[self.looked] = numbers
        same = (found[self.looked] == numbers) | (numbers != numbers)
        return found if same.all() and len(np.unique(self.looked)) == len(self.members) else None


def _rule(column: np.ndarray, index: np.ndarray | None, rows: Rows, whole: bool) -> Rule | None:
    """The rule of a column of numbers (places,), `index` (axes, places); None: they are not all, and follow none."""
    first = column[0]
    if (column == first).all() or (column != column).all():  # NaN in all places is the same in all places
        return ("is", first.item())
    for axis, place in enumerate(index if index is not None else ()):
        more = first - place[0]
        if (column == place + more).all():
            return ("at", axis, int(more))
    if (by_row := rows.column(column)) is not None:
        return ("row", by_row)
    return ("of", np.ascontiguousarray(column)) if whole else None
