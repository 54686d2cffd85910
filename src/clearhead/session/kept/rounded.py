"""A capture whose numbers are those that a page keeps: what the page works out is what a session says of this one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from clearhead.session.kept.steps import Precision, Steps, numbers_of, vectors_in_steps
from clearhead.trace.capture.attention import Attention, Bias
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.held import Held, precise
from clearhead.trace.capture.layer import Layer


class Rounded:
    """An array whose heads are each kept in steps of their own: (sequences, heads, positions, features)."""

    def __init__(self, held: Held, precision: Precision) -> None:
        self.shape, self.dtype = held.shape, held.dtype  # the format is the model's: what it computed in
        self.kept: Callable[[int, int], np.ndarray | Steps] = cache(
            lambda batch, head: vectors_in_steps(precise(held, batch, head), precision)
        )

    def __getitem__(self, index: Any, /) -> np.ndarray:
        """A part of one head, float64."""
        batch, head, *rest = index
        return numbers_of(self.kept(batch, head))[tuple(rest)]


class RoundedBias(Bias):
    """A bias, the table of each head kept in steps of its own."""

    def __init__(self, bias: Bias, precision: Precision) -> None:
        super().__init__(bias.values, bias.by_distance, bias.queries)
        object.__setattr__(self, "kept", cache(
            lambda batch, head: vectors_in_steps(bias.table(batch, head), precision)
        ))  # fmt: skip

    kept: Callable[[int, int], np.ndarray | Steps]

    def table(
        self, batch: int, head: int, rows: slice = slice(None), keys: slice = slice(None)
    ) -> np.ndarray:
        """(rows, keys) float64, or (1, keys) where all queries have the same."""
        found = numbers_of(self.kept(batch, head))
        return found[:, keys] if len(found) == 1 else found[rows, keys]


def rounded(capture: Capture, precision: Precision) -> Capture:
    """The capture from the queries, keys and values of its heads on, each as exact as it is kept."""
    layers = (
        layer
        if layer.attention is None
        else Layer(
            layer.tower, layer.number, layer.path, _rounded(layer.attention, precision), layer.what, layer.rows,
            layer.columns, named=layer.named,
        )
        for layer in capture.layers
    )  # fmt: skip
    return replace(capture, layers=tuple(layers), overviews={}, compared={}, traces={})


def _rounded(attention: Attention, precision: Precision) -> Attention:
    vectors = {name: Rounded(getattr(attention, name), precision) for name in ("query", "key", "value")}
    bias = None if attention.bias is None else RoundedBias(attention.bias, precision)
    return replace(attention, bias=bias, **vectors)  # type: ignore[arg-type]  # fields by their names
