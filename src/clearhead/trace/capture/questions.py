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
    precise = str(attention.query.dtype) == "float64" or attention.queries * attention.keys <= PRECISE
    form = "float64" if precise else "float32"
    bias, offset = attention.bias, (rows.start, keys.start)
    set_in = {query for query, _, _ in attention.set_in(head)}

    def moved(asked: slice, offered: slice) -> tuple[slice, slice]:
        return tuple(
            slice(one.start + by, one.stop + by) for one, by in zip((asked, offered), offset, strict=True)
        )  # type: ignore[return-value]

    def added(asked: slice, offered: slice) -> np.ndarray:
        assert bias is not None  # asked only then
        return bias.table(batch, head, *moved(asked, offered))

    def visible(asked: slice, offered: slice) -> np.ndarray:
        return seen.pattern.table(*moved(asked, offered))

    def given(asked: slice) -> np.ndarray | None:
        asked = slice(asked.start + rows.start, asked.stop + rows.start)
        return (
            weights_of(attention, batch, head, asked)[:, keys]
            if set_in & set(range(asked.start, asked.stop))
            else None
        )

    return Question(
        _numbers(attention.query, (batch, head, rows), form),
        _numbers(attention.key, (batch, attention.key_head(head), keys), form),
        attention.scale,
        np.clip(seen.first[rows] - keys.start, 0, keys.stop - keys.start),
        np.clip(seen.after[rows] - keys.start, 0, keys.stop - keys.start),
        visible if seen.gaps else None,
        attention.soft_cap,
        None if bias is None else added,
        None if attention.sink is None else float(attention.sink[head]),
        given if set_in else None,
        own,
        words,
        counted,
    )


def _numbers(held: Held, index: Any, form: str) -> Any:
    """A part as (positions, d_head): of PyTorch where it lies on a GPU, else of NumPy."""
    tensor = getattr(held, "tensor", None)
    if tensor is not None and tensor.device.type != "cpu":
        return tensor[index].double() if form == "float64" else tensor[index].float()
    return np.ascontiguousarray(held[index], dtype=form)
