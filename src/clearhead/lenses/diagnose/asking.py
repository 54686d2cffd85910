"""A question with its answer, and whether given mistakes explain it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clearhead.lenses.diagnose.case import Case
from clearhead.lenses.diagnose.mistakes import Mistake
from clearhead.lenses.diagnose.pipeline import Run, attention_of
from clearhead.lenses.diagnose.rounding import allowed

IMPOSSIBLE = (ValueError, IndexError, TypeError, KeyError)
"""What a mistake raises that cannot be made with arrays of these sizes."""

SETTLED = np.ones((), bool)
"""Every number is settled."""


@dataclass(frozen=True, eq=False)
class Asking:
    """A case and what the person's function gave for it, in the reference's shape."""

    case: Case
    output: np.ndarray

    @cached_property
    def reference(self) -> Run:
        """The right numbers, step by step."""
        return attention_of(self.case)

    def allowed(self, dtype: str) -> float:
        """The largest difference that rounding to the type explains."""
        known = self.__dict__.setdefault("_allowed", {})
        if dtype not in known:
            known[dtype] = allowed(self.case, self.reference.values["output"], dtype)
        return float(known[dtype])


@dataclass(frozen=True)
class Explanation:
    """What reproduces the answers.

    Attributes:
        mistakes: none, one or two.
        dtype: the finest type whose rounding explains what is still off.
        error: the largest difference that is left, as a share of what that rounding allows.
        off: the largest difference, in the units of the output.
    """

    mistakes: tuple[Mistake, ...]
    dtype: str
    error: float
    off: float

    @property
    def names(self) -> tuple[str, ...]:
        """Of the mistakes."""
        return tuple(sorted(one.name for one in self.mistakes))


def expected(
    asking: Asking, mistakes: Sequence[Mistake], before: Run | None = None
) -> tuple[np.ndarray, np.ndarray] | None:
    """What the function would have given with these mistakes, and where that is settled.

    A query that has nothing to look at may have 0 or NaN: both are in use. None where the mistakes cannot be made with
    arrays of these sizes.

    Args:
        asking: the case.
        mistakes: all at once.
        before: the run with some of them, if there is one.
    """
    changes = [one.changes for one in mistakes]
    try:
        run = attention_of(asking.case, changes, before=before or asking.reference)
        output = run.values["output"]
        if output.shape != asking.output.shape:
            return None
        if not (run.blind or asking.reference.blind):
            return output, SETTLED
        other = attention_of(asking.case, changes, np.nan).values["output"]
    except IMPOSSIBLE:
        return None
    return output, np.isnan(other) == np.isnan(output)


def off(asking: Asking, mistakes: Sequence[Mistake], before: Run | None = None) -> float:
    """The largest difference to what the mistakes would give; infinite where something else is NaN or none can tell."""
    found = expected(asking, mistakes, before)
    return np.inf if found is None else apart(*found, asking.output)


def apart(values: np.ndarray, settled: np.ndarray, got: np.ndarray) -> float:
    """The largest difference of what is settled; infinite where one is NaN and the other is not, or nothing is settled."""
    if settled is SETTLED:
        with np.errstate(invalid="ignore"):
            by = float(np.abs(values - got).max(initial=0.0))
        if by < np.inf:  # neither infinite nor NaN, as nearly always
            return by
    elif not settled.any():
        return np.inf
    if ((np.isnan(values) != np.isnan(got)) & settled).any():
        return np.inf
    both = settled & ~(values == got) & ~np.isnan(values)  # equal infinities differ by NaN
    return float(np.abs(values[both] - got[both]).max(initial=0.0))


def fits(askings: Sequence[Asking], mistakes: Sequence[Mistake], dtype: str) -> Explanation | None:
    """Whether the mistakes explain every answer, up to rounding to the type."""
    worst = largest = 0.0
    for asking in askings:
        by = off(asking, mistakes)
        most = asking.allowed(dtype)
        if not by <= most:
            return None
        worst, largest = max(worst, by / most if most else 0.0), max(largest, by)
    return Explanation(tuple(mistakes), dtype, worst, largest)
