"""The masks and biases of a layer's calls put together: those of pass after pass below one another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clearhead.trace.capture.attention import Bias
from clearhead.trace.capture.held import precise
from clearhead.trace.capture.recognised import recognised
from clearhead.trace.capture.visible import Named, Pattern, Runs, Visible

PADDED = "keys("
"""What the name of a mask has in it where some keys are padding: its runs then stay, which say which."""


class Joints:
    """Masks that were put together, each once: the layers of a model share theirs."""

    def __init__(self) -> None:
        self._known: dict[tuple[tuple[Pattern, ...], tuple[int, ...], int], Pattern] = {}

    def visible(self, parts: Sequence[Visible], begins: Sequence[int], keys: int) -> Visible:
        """The masks of several calls below one another.

        Args:
            parts: the mask of each call, over the keys that there were at its time.
            begins: how many of all keys lie before those of each call.
            keys: how many keys there are in the end.
        """
        sequences = max(len(one.patterns) for one in parts)
        heads = max(len(one.patterns[0]) for one in parts)
        return Visible(
            tuple(
                tuple(
                    self._of([one.pattern(batch, head) for one in parts], begins, keys)
                    for head in range(heads)
                )
                for batch in range(sequences)
            )
        )

    def _of(self, patterns: Sequence[Pattern], begins: Sequence[int], keys: int) -> Pattern:
        place = tuple(patterns), tuple(begins), keys
        if place not in self._known:
            self._known[place] = stacked(patterns, begins, keys)
        return self._known[place]


def stacked(patterns: Sequence[Pattern], begins: Sequence[int], keys: int) -> Pattern:
    """The masks of one sequence and head below one another: by name if a name describes the whole exactly."""
    runs = [one.runs() if isinstance(one, Named) else one for one in patterns]
    counts = np.concatenate([np.diff(one.row) for one in runs])
    # each array is made once, whatever the number of calls
    by = np.repeat(np.asarray(begins, dtype=np.int32), [len(one.start) for one in runs])
    start, end = (np.concatenate([getattr(one, edge) for one in runs]) + by for edge in ("start", "end"))
    named = recognised(Runs(keys, np.concatenate([[0], np.cumsum(counts)]), start, end))
    if isinstance(named, Named) and PADDED in named.name:
        return named.runs()
    return named


def biases_below(parts: Sequence[tuple[Visible, Bias | None]], begins: Sequence[int], keys: int) -> Bias:
    """The biases of several calls below one another, 0 where a call had no such key.

    A number for each key or for each distance is enough where every cell that counts has that number; otherwise it is a
    table of queries times keys.

    Args:
        parts: the mask and the bias of each call.
        begins: how many of all keys lie before those of each call.
        keys: how many keys there are in the end.
    """
    shapes = [bias.values.shape[:2] for _, bias in parts if bias is not None]
    shape = max(one[0] for one in shapes), max(one[1] for one in shapes)
    queries = sum(part[0].pattern(0, 0).queries for part in parts)
    by_key, by_distance = _Shared((*shape, keys)), _Shared((*shape, queries + keys - 1))
    query = 0
    for (visible, bias), first in zip(parts, begins, strict=True):
        key = first + np.arange(visible.pattern(0, 0).keys)
        for at in range(visible.pattern(0, 0).queries):
            row, counts = _row(visible, bias, at, shape)
            by_key.put(key, row, counts)
            by_distance.put(key - query + queries - 1, row, counts)
            query += 1
        if not (by_key.holds or by_distance.holds):
            return _table(parts, begins, (*shape, queries, keys))
    if by_key.holds:
        return Bias(by_key.numbers[:, :, None], False, queries)
    return Bias(by_distance.numbers, True, queries)


class _Shared:
    """One number for each place, as long as all cells that count have the number of their place."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.holds = True
        self._numbers, self._known = np.zeros(shape), np.zeros(shape, dtype=bool)

    @property
    def numbers(self) -> np.ndarray:
        """The numbers, 0 for a place that no cell has."""
        return self._numbers

    def put(self, places: np.ndarray, row: np.ndarray, counts: np.ndarray) -> None:
        """One more row, (sequences, heads, cells), each cell's place, and which of its cells count."""
        if not self.holds:
            return
        part = slice(int(places[0]), int(places[-1]) + 1)  # places follow one another
        numbers, known = self._numbers[..., part], self._known[..., part]
        self.holds = not bool((counts & known & (numbers != row)).any())
        new = counts & ~known
        numbers[new] = row[new]
        known |= counts


def _row(
    visible: Visible, bias: Bias | None, query: int, shape: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """(sequences, heads, keys) each: the bias of one query of a call, and which keys it may see."""
    first = visible.pattern(0, 0)
    rows, whole = slice(query, query + 1), (*shape, first.keys)
    counts = np.array([[one.table(rows)[0] for one in heads] for heads in visible.patterns])
    if bias is None:
        row = np.zeros((1, 1, 1))
    elif bias.by_distance:
        nearest = first.queries - 1 - query
        row = precise(bias.values, ..., slice(nearest, nearest + first.keys))
    else:
        row = precise(bias.values, ..., query if bias.values.shape[2] > 1 else 0, slice(None))
    return np.broadcast_to(row, whole), np.broadcast_to(counts, whole)


def _table(
    parts: Sequence[tuple[Visible, Bias | None]], begins: Sequence[int], shape: tuple[int, int, int, int]
) -> Bias:
    """The whole table, (sequences, heads, queries, keys)."""
    room, done = np.zeros(shape), 0
    for (visible, bias), first in zip(parts, begins, strict=True):
        queries, keys = visible.pattern(0, 0).queries, visible.pattern(0, 0).keys
        if bias is not None:
            for place in np.ndindex(*shape[:2]):
                room[place][done : done + queries, first : first + keys] = bias.table(*place)
        done += queries
    return Bias(room, False, done)
