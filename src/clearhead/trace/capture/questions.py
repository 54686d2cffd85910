"""A captured head, or a part of it, as what the streaming pass is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clearhead.core.stream import Question, Words
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.held import Held
from clearhead.trace.capture.recompute import weights_of
from clearhead.trace.capture.visible import Pattern, Runs

PRECISE = 2**14
"""Cells of a square that is worked out in float64, as of a text of 128 tokens; a larger one in the model's float32."""


@dataclass(frozen=True, eq=False)
class Seen:
    """Which keys each query of one head sees.

    Attributes:
        pattern: the mask.
        first: (queries,) the first key that each sees.
        after: (queries,) the key after the last.
        gaps: whether a query may not see some of those between.
    """

    pattern: Pattern
    first: np.ndarray
    after: np.ndarray
    gaps: bool

    @staticmethod
    def of(pattern: Pattern) -> Seen:
        """From the mask."""
        spans = pattern.spans()
        if spans is not None:
            return Seen(pattern, *spans, gaps=False)
        runs = pattern if isinstance(pattern, Runs) else pattern.runs()
        sees = np.diff(runs.row) > 0
        first, after = np.zeros((2, runs.queries), dtype=np.int32)
        first[sees], after[sees] = runs.start[runs.row[:-1][sees]], runs.end[runs.row[1:][sees] - 1]
        return Seen(pattern, first, after, gaps=True)


def question_of(
    attention: Attention,
    batch: int,
    head: int,
    seen: Seen,
    rows: slice = slice(None),
    keys: slice = slice(None),
    *,
    own: bool = True,
    words: Words | None = None,
    counted: np.ndarray | None = None,
) -> Question:
    """A head, of some queries and keys; places in the answer count from the first of each.

    Args:
        attention: the layer.
        batch: the sequence.
        head: the query head.
        seen: which keys each query sees.
        rows: the queries, a slice without a step.
        keys: the keys, likewise.
        own: whether queries and keys are the same tokens.
        words: see `Question`.
        counted: see `Question`.
    """
    rows, keys = (
        slice(*one.indices(size)) for one, size in ((rows, attention.queries), (keys, attention.keys))
    )
    part = _Part(attention, batch, head, seen, rows, keys)
    precise = str(attention.query.dtype) == "float64" or attention.queries * attention.keys <= PRECISE
    form = "float64" if precise else "float32"
    first, after = (
        np.clip(edge[rows] - keys.start, 0, keys.stop - keys.start) for edge in (seen.first, seen.after)
    )
    return Question(
        _numbers(attention.query, (batch, head, rows), form),
        _numbers(attention.key, (batch, attention.key_head(head), keys), form),
        attention.scale, first, after,
        part.visible if seen.gaps else None,
        attention.soft_cap,
        None if attention.bias is None else part.added,
        None if attention.sink is None else float(attention.sink[head]),
        part.given if attention.set_in(head) else None,
        own, words, counted,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Part:
    """What is looked up block by block of a part of a head; the places asked for count from where it begins."""

    attention: Attention
    batch: int
    head: int
    seen: Seen
    rows: slice
    keys: slice

    def added(self, queries: slice, keys: slice) -> np.ndarray:
        """The bias."""
        assert self.attention.bias is not None  # asked only then
        table = self.attention.bias.table
        return table(self.batch, self.head, _moved(queries, self.rows), _moved(keys, self.keys))

    def visible(self, queries: slice, keys: slice) -> np.ndarray:
        """Which keys may be seen."""
        return self.seen.pattern.table(_moved(queries, self.rows), _moved(keys, self.keys))

    def given(self, queries: slice) -> np.ndarray | None:
        """The weights, where some of these queries have one that was set by hand."""
        queries = _moved(queries, self.rows)
        if all(not queries.start <= at < queries.stop for at, _, _ in self.attention.set_in(self.head)):
            return None
        return weights_of(self.attention, self.batch, self.head, queries)[:, self.keys]


def _moved(places: slice, whole: slice) -> slice:
    return slice(places.start + whole.start, places.stop + whole.start)


def _numbers(held: Held, index: Any, form: str) -> Any:
    """A part as (positions, d_head): of PyTorch where it lies on a GPU, else of NumPy."""
    tensor = getattr(held, "tensor", None)
    if tensor is not None and tensor.device.type != "cpu":
        return tensor[index].double() if form == "float64" else tensor[index].float()
    return np.ascontiguousarray(held[index], dtype=form)
