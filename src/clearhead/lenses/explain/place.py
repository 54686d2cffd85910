"""Where a cell stands, in words: head 0, query 3 “chased”, key 1 “dog”."""

from __future__ import annotations

from clearhead.core.axes import JOINED, MODEL, VOCABULARY
from clearhead.core.ops.base import Index
from clearhead.trace.notation.tokens import visible_token
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace

COLUMN_AXES = {MODEL: "column", JOINED: "column"}
"""Axes that are called something else when a single place on them is meant."""


def describe_place(trace: Trace, quantity: Quantity, index: Index) -> str:
    """The place of a cell in words, with the words of the sentence or of the vocabulary."""
    return ", ".join(_on_axis(trace, axis, number) for axis, number in zip(quantity.axes, index, strict=True))


def _on_axis(trace: Trace, axis: str, number: int) -> str:
    words = trace.words(axis)
    if number < len(words):
        word = visible_token(words[number])
        return f"row “{word}”" if axis == VOCABULARY else f"{axis} {number} “{word}”"
    return f"{COLUMN_AXES.get(axis, axis)} {number}"
