"""The name of a mask that is known only cell by cell: a guess made from its runs, and kept only if it is exact."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from clearhead.trace.capture.visible import Named, Pattern, Runs

REMEMBERED = 64
"""Masks whose names are remembered: the heads and layers of a model share few."""


@lru_cache(maxsize=REMEMBERED)
def recognised(runs: Pattern) -> Pattern:
    """The mask under a name that describes it in every cell, or as it is if no name does."""
    if isinstance(runs, Named) or np.diff(runs.row).max(initial=0) > 1:
        return runs
    for name in _guesses(runs):
        named = Named(name, runs.queries, runs.keys)
        if _alike(named, runs) and named.runs().same_as(runs):
            return named
    return runs


def _alike(named: Named, runs: Runs) -> bool:
    """Whether a few rows are the same, which is soon found out and rules out most guesses."""
    few = {0, 1, runs.queries // 3, runs.queries // 2, runs.queries - 1}
    rows = (slice(row, row + 1) for row in few if row < runs.queries)
    return all(np.array_equal(named.table(row), runs.table(row)) for row in rows)


def _guesses(runs: Runs) -> Iterator[str]:
    """Names that fit what is typical of the runs, the simplest first."""
    sees = np.diff(runs.row) > 0
    if not sees.any():
        return
    query, start, end = np.flatnonzero(sees), runs.start, runs.end
    low, high = int(start.min()), int(end.max())
    kept = "" if (low, high) == (0, runs.keys) else f" & keys({low}:{high})"
    everything = np.flatnonzero((np.diff(runs.row) > 0) & _spans(runs))
    # PyTorch's fix for rows that may see nothing (left padding) lets these rows see everything
    lead = int(np.argmin(np.isin(np.arange(runs.queries), everything)))
    for rows in dict.fromkeys(("", f" | rows(0:{lead})" if lead else "")):
        yield from (
            f"{base}{kept}{rows}" if base else f"{kept[3:]}{rows}" for base in _bases(query, start, end, low)
        )


def _spans(runs: Runs) -> np.ndarray:
    """Boolean (queries,): the rows that see every key."""
    spans = np.zeros(runs.queries, dtype=bool)
    full = (runs.start == 0) & (runs.end == runs.keys)
    spans[np.flatnonzero(np.diff(runs.row))[full]] = True
    return spans


def _bases(query: np.ndarray, start: np.ndarray, end: np.ndarray, low: int) -> Iterator[str]:
    """What a mask may be apart from the keys that are padding for everyone."""
    yield "none"
    yield "causal"
    last, first = int(query[-1]), int(start[-1])
    if first > low:
        yield f"causal & window({last + 1 - first})"
        yield f"causal & chunk({first})"
        yield from (f"causal & chunk({size})" for size in _divisors(first))
        yield f"band({last - first})"
    ahead = int((end - query).max()) - 1
    if ahead > 0:
        yield f"band({ahead})"
        yield f"causal | prefix({int(end[0])})"
    begins = np.unique(start)
    if len(begins) > 1 and begins[0] == 0:
        yield f"causal & documents({','.join(map(str, begins))})"
        yield f"documents({','.join(map(str, begins))})"


def _divisors(number: int) -> list[int]:
    """The divisors of a number, the larger first, without itself and 1."""
    return [divisor for divisor in range(number // 2, 1, -1) if number % divisor == 0]
