"""A question with its answer, and whether given mistakes explain it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clearhead.lenses.diagnose.case import Case
from clearhead.lenses.diagnose.mistakes import Mistake
from clearhead.lenses.diagnose.pipeline import Run, attention_of, changed
from clearhead.lenses.diagnose.rounding import allowed

IMPOSSIBLE = (ValueError, IndexError, TypeError, KeyError)
"""What a mistake raises that cannot be made with arrays of these sizes."""

NOTHING = (np.nan, None)
"""Weights beside 0 of a query that has nothing to look at: NaN, and all alike."""
CLOSE = 1e-4
"""What lies nearer than this share of the largest number is the answer that was expected."""
BEYOND = 0.5
"""Where rounding reaches this share of the largest number, an answer says nothing of how near it is."""


@dataclass(frozen=True, eq=False)
class Asking:
    """A case and what the person's function gave for it.

    Attributes:
        case: what was asked.
        output: in the reference's shape.
        dtype: the type of the numbers that it was given.
    """

    case: Case
    output: np.ndarray
    dtype: str = "float64"

    @cached_property
    def reference(self) -> Run:
        """The right numbers, step by step."""
        return attention_of(self.case)

    @property
    def size(self) -> float:
        """The largest number of the right output."""
        right = self.reference.values["output"]
        return float(np.abs(right).max(initial=0.0, where=np.isfinite(right)))

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
        open: how many numbers it leaves open, as they follow from queries that would have nothing to look at.
        beyond: how many questions say nothing, as they are beyond that type.
    """

    mistakes: tuple[Mistake, ...]
    dtype: str
    error: float
    off: float
    open: int = 0
    beyond: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """Of the mistakes."""
        return tuple(sorted(one.name for one in self.mistakes))


@dataclass(frozen=True, eq=False)
class Expected:
    """What a function would give.

    Attributes:
        outputs: the output; where some query has nothing to look at, one for each of the weights that are in use then:
            0, NaN, and all alike.
    """

    outputs: tuple[np.ndarray, ...]

    def off(self, got: np.ndarray) -> tuple[float, int]:
        """The largest difference, infinite where something else is NaN; and how many numbers it leaves open.

        A query that has nothing to look at may also get something else (its raw scores' weights, where a number is
        added to hide them): if most numbers do not follow from such a query, the others are left open.
        """
        first, *others = self.outputs
        strict = min(apart(one, got) for one in self.outputs)
        if not others:
            return strict, 0
        settled = np.isnan(others[0]) == np.isnan(first)
        if strict < np.inf and strict <= CLOSE * float(np.abs(got).max(where=np.isfinite(got), initial=0.0)):
            return strict, 0
        if settled.mean() <= 0.5:
            return strict, 0
        return apart(first[settled], got[settled]), int((~settled).sum())


def expected(asking: Asking, mistakes: Sequence[Mistake], before: Run | None = None) -> Expected | None:
    """What the function would have given with these mistakes; None where arrays of these sizes do not allow them.

    Args:
        asking: the case.
        mistakes: all at once.
        before: the run with some of them, if there is one.
    """
    changes, known = [one.changes for one in mistakes], before or asking.reference
    new = [one for one in changes if not any(one is other for other in known.changes)]
    try:
        run = changed(known, changes, new)
        output = run.values["output"]
        if output.shape != asking.output.shape:
            return None
        others = NOTHING if run.blind or asking.reference.blind else ()
        return Expected((output, *(changed(run, changes, (), one).values["output"] for one in others)))
    except IMPOSSIBLE:
        return None


def off(asking: Asking, mistakes: Sequence[Mistake], before: Run | None = None) -> float:
    """The largest difference to what the mistakes would give; infinite where they cannot be made."""
    found = expected(asking, mistakes, before)
    return np.inf if found is None else found.off(asking.output)[0]


def apart(values: np.ndarray, got: np.ndarray) -> float:
    """The largest difference; infinite where one is NaN and the other is not."""
    with np.errstate(invalid="ignore"):
        by = float(np.abs(values - got).max(initial=0.0))
    if by < np.inf:  # neither infinite nor NaN, as nearly always
        return by
    if (np.isnan(values) != np.isnan(got)).any():
        return np.inf
    both = ~(values == got) & ~np.isnan(values)  # equal infinities differ by NaN
    return float(np.abs(values[both] - got[both]).max(initial=0.0))


def fits(askings: Sequence[Asking], mistakes: Sequence[Mistake], types: Sequence[str]) -> Explanation | None:
    """Whether the mistakes explain every answer, with the finest of the types whose rounding explains what is left."""
    left, offs, left_open = list(types), list[float](), 0
    for asking in askings:
        found = expected(asking, mistakes)
        by, count = (np.inf, 0) if found is None else found.off(asking.output)
        left = [dtype for dtype in left if by <= asking.allowed(dtype)]
        if found is None or not left:
            return None
        offs.append(by)
        left_open += count
    most = [asking.allowed(left[0]) for asking in askings]
    telling = [
        (by, limit)
        for by, limit, asking in zip(offs, most, askings, strict=True)
        if limit < BEYOND * asking.size or not asking.size
    ]
    worst = max((by / limit for by, limit in telling if limit > 0), default=0.0)
    furthest = max((by for by, _ in telling if by < np.inf), default=0.0)
    beyond = len(askings) - len(telling)
    return Explanation(tuple(mistakes), left[0], worst, furthest, left_open, beyond)
