"""Which part of a long axis is shown: what matters most for one query, and what lies around it. It always says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clearhead.core.axes import FEATURE, KEY, MODEL, POSITION, QUERY
from clearhead.messages import Fold
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace

MOST_POSITIONS, STRONGEST = 24, 12
"""Rows or columns of positions that are shown, and how many of the keys among them are the query's strongest."""

MOST_FEATURES, FIRST_FEATURES = 12, 4
"""Features that are shown, and how many of them are simply the first."""

BESIDE = {"W_Q": "hidden", "W_K": "hidden", "W_V": "hidden", "W_O": "output"}
"""The quantity whose numbers the rows or columns of a matrix belong to."""


@dataclass(frozen=True)
class Folds:
    """How the quantities of one head are folded around one query.

    Attributes:
        trace: the head.
        query: the row that is looked at.
    """

    trace: Trace
    query: int

    def of(self, name: str) -> list[Fold | None]:
        """For each axis of a quantity which places are shown; None: all."""
        quantity = self.trace[name]
        return [self._axis(name, number) for number in range(len(quantity.axes))]

    def _axis(self, name: str, number: int) -> Fold | None:
        quantity = self.trace[name]
        axis, size = quantity.axes[number], quantity.shape[number]
        if quantity.origin and quantity.origin[number] is not None:
            start = quantity.starts[number]
            return _part(range(start, start + size), len(self.trace.tokens), axis)
        if axis == KEY or (axis == POSITION and _of_keys(name)):
            return self._keys
        if axis in (QUERY, POSITION):
            return _around(size, self.query, axis)
        return None if size <= MOST_FEATURES else self._features(name, number, axis, size)

    @property
    def weights(self) -> np.ndarray:
        """(key,) those of the query."""
        return self.trace["weights"].row(self.query)

    @cached_property
    def _keys(self) -> Fold | None:
        size = len(self.weights)
        if size <= MOST_POSITIONS:
            return None
        own = "keys" not in self.trace.provenance  # in another text nothing lies around the query
        chosen = _largest(self.weights, STRONGEST if own else MOST_POSITIONS)
        says = f"{MOST_POSITIONS} of {size} keys: the {len(chosen)} that query {self.query} looks at most"
        if own:
            nearest = sorted(range(size), key=lambda key: (abs(key - self.query), key))
            chosen = list(dict.fromkeys([*chosen, *nearest]))[:MOST_POSITIONS]
            says += ", and those around it"
        return Fold(places=sorted(chosen), of=size, says=f"{says}; {_left(size - MOST_POSITIONS)}")

    def _features(self, name: str, number: int, axis: str, size: int) -> Fold:
        """The first features, and those that matter most."""
        matters, why = self._matters(name, number, axis, size)
        first = list(range(FIRST_FEATURES))
        strongest = [place for place in _largest(matters, size) if place not in first]
        chosen = sorted([*first, *strongest[: MOST_FEATURES - FIRST_FEATURES]])
        what = "features" if axis == FEATURE else "numbers" if axis == MODEL else f"{axis}s"
        says = (
            f"{MOST_FEATURES} of {size} {what}: the first {FIRST_FEATURES}, and the {MOST_FEATURES - FIRST_FEATURES} "
            f"{why}; {_left(size - MOST_FEATURES)}"
        )
        return Fold(places=chosen, of=size, says=says)

    def _matters(self, name: str, number: int, axis: str, size: int) -> tuple[np.ndarray, str]:
        """How much each place of a long axis matters for the query, and what that means in words."""
        if axis == FEATURE and not _of_values(name) and size == len(self._products):
            return self._products, f"with the largest products for query {self.query}"
        if axis == FEATURE and size == len(self._blended):
            return self._blended, f"that query {self.query} takes most of"
        beside = self.trace.get(BESIDE.get(name, name))  # a matrix is folded as the rows that it meets
        if axis == MODEL and beside is not None and self._has_the_query(beside) and beside.shape[1] == size:
            return np.abs(beside.row(self.query)), f"that are largest for query {self.query}"
        values = np.abs(self.trace[name].values)
        return values.max(
            axis=tuple(at for at in range(values.ndim) if at != number)
        ), "with the largest numbers"

    def _has_the_query(self, beside: Quantity) -> bool:
        """Whether a quantity has a row for the query."""
        return beside.axes in ((QUERY, MODEL), (POSITION, MODEL)) and beside.holds((self.query, 0))

    @cached_property
    def _products(self) -> np.ndarray:
        """(feature,) the size of query · key, each key counted by its weight."""
        query, key = self.trace["scores"].inputs
        return np.asarray(np.abs(query.row(self.query)) * (self.weights @ np.abs(key.values)))

    @cached_property
    def _blended(self) -> np.ndarray:
        """(feature,) the size of weight · value, summed over the keys."""
        return np.asarray(np.abs(self.weights) @ np.abs(self.trace["V"].values))


def _of_values(name: str) -> bool:
    """Whether the features of a quantity are those of the values: V, what it is made of and what is made of it."""
    return name in ("mixed", "switched_off", "W_O") or "V" in name.removeprefix("X").replace("W_", "").split(
        "_"
    )


def _of_keys(name: str) -> bool:
    """Whether the positions of a quantity are there to be keys: K, V and what they are made of alone."""
    return any(part in ("K", "V") for part in name.removeprefix("X").replace("W_", "").split("_"))


def _part(places: range, size: int, axis: str) -> Fold | None:
    """What is here of an axis of which no more was worked out."""
    if len(places) == size:
        return None
    what = "positions" if axis == POSITION else "queries"
    says = f"{len(places)} of {size} {what}: the one that is looked at; {_left(size - len(places))}"
    return Fold(places=list(places), of=size, says=says)


def _around(size: int, query: int, axis: str) -> Fold | None:
    """The rows around one."""
    if size <= MOST_POSITIONS:
        return None
    start = min(max(0, query - MOST_POSITIONS // 2), size - MOST_POSITIONS)
    what = "positions" if axis == POSITION else "queries"
    says = f"{MOST_POSITIONS} of {size} {what}: those around {query}; {_left(size - MOST_POSITIONS)}"
    return Fold(places=list(range(start, start + MOST_POSITIONS)), of=size, says=says)


def _largest(values: np.ndarray, count: int) -> Sequence[int]:
    """The places of the largest numbers, the first of equal ones first."""
    found: list[int] = np.argsort(-values, kind="stable")[:count].tolist()
    return found


def _left(count: int) -> str:
    return f"{count} more {'is' if count == 1 else 'are'} not shown"
