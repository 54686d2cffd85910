"""The computation once more with one step done otherwise: what a mistake gives is computed, never made up."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace

Work = Callable[..., np.ndarray]
"""What a step does with its inputs' values."""


def made_of(trace: Trace, target: Quantity) -> list[Quantity]:
    """All that the quantity was made of, in the order in which it was made, and itself at the end."""
    found: set[str] = set()
    waiting = [target]
    while waiting:
        one = waiting.pop()
        if one.name not in found:
            found.add(one.name)
            waiting += one.inputs
    return [one for one in trace.values() if one.name in found]


def replayed(way: Sequence[Quantity], changed: Quantity, work: Work) -> np.ndarray | None:
    """What a quantity comes to when one step is done otherwise, and everything after it as ever.

    Args:
        way: what the quantity was made of, and itself at the end; see `made_of`.
        changed: the quantity of the step, one of them.
        work: what is done instead.

    Returns:
        Its values, NaN where what the mistake gives is no number; None where the mistake cannot be made with matrices
        of these sizes.
    """
    values: dict[str, np.ndarray] = {}
    with np.errstate(all="ignore"):
        for one in way:
            if one is not changed and all(given.name not in values for given in one.inputs):
                continue
            inputs = [values.get(given.name, given.values) for given in one.inputs]
            made = _done(work if one is changed else one.operation.forward, inputs)  # type: ignore[union-attr]
            if made is None or made.shape != one.shape:
                return None
            values[one.name] = made
    return values[way[-1].name]


def _done(work: Work, inputs: list[np.ndarray]) -> np.ndarray | None:
    """The result; None where the matrices do not fit the mistake."""
    try:
        return np.asarray(work(*inputs), dtype=np.float64)
    except (ValueError, IndexError):
        return None
