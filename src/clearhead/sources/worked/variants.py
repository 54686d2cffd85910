"""An example with other numbers that are as easy to work with: halves and small whole numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from clearhead.core.names import taken_apart
from clearhead.sources.worked.example import Example

CHANGED = ("E", "W_Q", "W_V")
"""Whose numbers are others in a variant. Keys stay as they are made, so that there is still something to be found."""

LEAST, MOST = 2, 3
"""A number grows up to its own size, but at least to 2 and at most to 3 (one that is larger stays as it is)."""

TRIES = 400
"""How often numbers are drawn before there are said to be none."""

Throw = Callable[[], float]
"""Gives a number from 0 to 1, another each time."""


def variant(example: Example, throw: Throw, accept: Callable[[Example], bool]) -> Example | None:
    """The example with some of its numbers drawn anew until it is accepted; None if none of many is.

    A number that is 0 stays 0 and every other keeps its sign, so that what the columns mean stays as it is;
    what is drawn are halves from 0.5 to 3.

    Args:
        example: what to vary.
        throw: chance.
        accept: whether the numbers will do.
    """
    for _ in range(TRIES):
        changed = {
            name: np.vectorize(lambda value: _drawn(value, throw), otypes=[float])(values)
            for name, values in example.parameters.items()
            if taken_apart(name)[1] in CHANGED
        }
        made = example.with_parameters({**example.parameters, **changed})
        if accept(made):
            return made
    return None


def _drawn(value: float, throw: Throw) -> float:
    """Half of the numbers stay, if they are halves; the others are drawn."""
    size = abs(value)
    keeps, which = throw(), throw()
    if value == 0 or size > MOST or (keeps < 0.5 and float(2 * value).is_integer()):
        return value
    halves = 2 * min(MOST, max(LEAST, math.ceil(size)))
    return math.copysign((1 + int(which * halves)) / 2, value)
