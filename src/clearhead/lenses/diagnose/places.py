"""In which places outputs or weights are off, if it is the same in all answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clearhead.lenses.diagnose.seen import CLEAR, Known, most

FINE = 1e-6
"""What is off by less than this in one place, and by more in another, is off in the other alone."""


def lies(wrong: Known) -> str:
    """How outputs are off: everywhere by one factor, or in one place."""
    factors = [_factor(one.asking.output, one.asking.reference.values["output"]) for one in wrong]
    if None not in factors and np.ptp([one for one in factors if one is not None]) <= CLEAR:
        return f"all numbers are {factors[0]:.4g} times what they should be"
    return place([(one.asking.output, one.asking.reference.values["output"]) for one in wrong])


def copied(wrong: Known) -> str:
    """Whether one head, or one sentence, has the numbers that another one should have, the same in all answers."""
    pairs = [(one.asking.output, one.asking.reference.values["output"]) for one in wrong]
    for axis, name in ((0, "sentence"), (1, "head")):
        said = [_copies(got, right, axis) for got, right in pairs if right.ndim == 4 or axis == 0]
        if said and len(said) == len(pairs) and (same := set.intersection(*said)):
            mine, other = min(same)
            return f"{name} {mine} has the numbers of {name} {other}"
    return ""


def _copies(got: np.ndarray, right: np.ndarray, axis: int) -> set[tuple[int, int]]:
    """(which, of which) along the axis, where all else is right."""
    got, right = np.moveaxis(got, axis, 0), np.moveaxis(right, axis, 0)
    count = len(right)
    alike = np.array([[_close(mine, theirs).all() for theirs in right] for mine in got])
    off = [mine for mine in range(count) if not alike[mine, mine]]
    return {(off[0], other) for other in range(count) if len(off) == 1 and alike[off[0], other]}


def _close(got: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Cell by cell."""
    return np.isclose(got, right, rtol=FINE, atol=FINE * max(1.0, most(right)), equal_nan=True)


def _factor(got: np.ndarray, right: np.ndarray) -> float | None:
    with np.errstate(all="ignore"):
        ratios = (got / right)[np.abs(right) > CLEAR]
    if ratios.size and np.isfinite(ratios).all() and np.ptp(ratios) <= CLEAR * abs(ratios[0]):
        return float(ratios[0])
    return None


def place(wrong: Sequence[tuple[np.ndarray, np.ndarray]]) -> str:
    """Whether arrays are off in one sentence, one head, or one query alone, the same in all."""
    said = [set(_places(got, right)) for got, right in wrong]
    both = set.intersection(*said) if said else set()
    return next((one for one in _places(*wrong[0]) if one in both), "") if wrong else ""


def _places(got: np.ndarray, right: np.ndarray) -> list[str]:
    off = ~_close(got, right)
    names = ("sentence", "head", "query") if off.ndim == 4 else ("sentence", "query")
    found = []
    for axis, name in enumerate(names):
        where = np.flatnonzero(off.any(axis=tuple(other for other in range(off.ndim) if other != axis)))
        if len(where) == 1 and off.shape[axis] > 1:
            last = name == "query" and where[0] == off.shape[axis] - 1
            found.append(f"only the last {name} is off" if last else f"only {name} {where[0]} is off")
    return found
