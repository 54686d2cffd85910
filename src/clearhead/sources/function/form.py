"""What the questions to a function consist of, with all their sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Form:
    """Queries, keys and values; or x with the weights that make them of it.

    Attributes:
        heads: of the queries.
        kv_heads: of keys and values.
        batch: how many sentences.
        d_head: how wide a query is.
        d_value: how wide a value is.
        of_x: whether queries, keys and values are made of x.
        d_model: how wide x is.
        d_context: how wide the context is of which keys and values are made.
        context: "no", "may" or "must": whether the function takes one.
        apart: whether keys and values are made of two arrays, given apart.
        weights: with x, the shape of each weight, (in, out), and of each bias, (out,).
        own: the weights of a function whose weights cannot be chosen.
        known: whether the number of heads is known, and not taken to be one.
    """

    heads: int
    kv_heads: int
    batch: int
    d_head: int
    d_value: int
    of_x: bool = False
    d_model: int = 0
    d_context: int = 0
    context: str = "no"
    apart: bool = False
    weights: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    own: Mapping[str, np.ndarray] | None = None
    known: bool = True
