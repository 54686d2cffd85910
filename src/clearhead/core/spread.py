"""How far the numbers of a vector lie from their mean, or from 0: what layer norm and RMS norm divide by.

It stands in the norm and in its gradient, so it is written once: as arrays, cell by cell, in general and as code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.core.expression import (
    BigSum,
    Cell,
    Difference,
    Expression,
    Number,
    Power,
    Quotient,
    Root,
    Sum,
    Symbol,
)


@dataclass(frozen=True)
class Spread:
    """root(mean of (x − mean)² + ε) with `centred`, else root(mean of x² + ε), along the last axis.

    The mean of each vector is not worked out here but given, as the input after x: a cell's recipe would otherwise hold
    the whole vector once for every number of it.

    Attributes:
        axis: the name of the last axis.
        centred: measure from the vector's mean instead of from 0.
        epsilon: keeps the spread of a vector whose numbers are all the same (or all 0) above 0.
    """

    axis: str
    centred: bool
    epsilon: float

    def distances(self, x: np.ndarray, *mean: np.ndarray) -> np.ndarray:
        """x as it is measured: less its mean (x's shape without the last axis) if centred."""
        return x - mean[0][..., None] if self.centred else x

    def of(self, distances: np.ndarray) -> np.ndarray:
        """(..., width) to (..., 1); NaN where a square is too large for float64, as division by ∞ would hide that."""
        spread = np.sqrt((distances * distances).mean(axis=-1, keepdims=True) + self.epsilon)
        return np.where(spread < np.inf, spread, np.nan)

    def distance_recipe(self, slot: int, index: tuple[int, ...]) -> Expression:
        """A cell of x, which is input `slot`, less the vector's mean, the input after it, if centred."""
        x = Cell(slot, index)
        return Difference(x, Cell(slot + 1, index[:-1])) if self.centred else x

    def recipe(self, slot: int, row: tuple[int, ...], width: int) -> Expression:
        """The spread of one vector of input `slot`."""
        squares = [Power(self.distance_recipe(slot, (*row, place)), Number(2)) for place in range(width)]
        return Root(Sum((self.mean_recipe(squares), Number(self.epsilon, "ε"))))

    def mean_recipe(self, terms: Sequence[Expression]) -> Expression:
        """The sum of the terms over their number."""
        return Quotient(Sum(tuple(terms), over=self.axis), Number(len(terms), self._width))

    def distance_formula(self, names: Sequence[str], row: tuple[str, ...], place: str) -> Expression:
        """In general, with the index letters of the row; `names` are those of x and, if centred, of its mean."""
        x = Symbol(names[0], (*row, place))
        return Difference(x, Symbol(names[1], row)) if self.centred else x

    def formula(self, names: Sequence[str], row: tuple[str, ...], place: str) -> Expression:
        """The spread in general; `place` is the letter that is summed over."""
        square = Power(self.distance_formula(names, row, place), Number(2))
        return Root(Sum((self.mean_formula(place, square), Symbol("ε"))))

    def mean_formula(self, place: str, body: Expression) -> Expression:
        """The mean of the body over the letter."""
        return Quotient(BigSum(place, body), Symbol(self._width))

    @property
    def _width(self) -> str:
        return f"d_{self.axis}"
