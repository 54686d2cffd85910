"""One attention layer, top to bottom on one screen.

Each line names a quantity, the operation that makes it and what it is made of; from Q, K and V to what each head mixed
see `core.head`. What a line *does* is up to `step`: `compute` below just computes; the recorder in `clearhead.trace`
keeps every quantity with its recipe.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clearhead.core.axes import BATCH, FEATURE, HEAD, JOINED, KEY, MODEL, POSITION, QUERY
from clearhead.core.head import Head, Step, attend
from clearhead.core.ops import Alibi, Contract, Copy, MergeHeads, Operation, Rotate, SplitHeads
from clearhead.core.settings import Settings

__all__ = ["MAP", "Step", "attention", "batched", "compute"]

MAP = (HEAD, QUERY, KEY)


def compute(name: str, operation: Operation, *inputs: np.ndarray) -> np.ndarray:
    """The plain step: arrays in, array out."""
    return operation.forward(*inputs)


def batched(X: Any) -> tuple[str, ...]:
    """The axes in front of (position, d_model): a batch of sentences, or none."""
    return (BATCH,) * (len(X.shape) - 2)


def attention(step: Step, X: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, settings: Settings) -> Any:
    """Vaswani et al. 2017, section 3.2: softmax(Q K^T / root(d_head)) V, heads joined, times W_O.

    Shapes: X (positions, d_model), with a batch axis in front or without; W_Q, W_K (d_model, heads * d_head); W_V
    (d_model, heads * d_value); W_O (heads * d_value, d_out) or None; the result (positions, d_out).
    """
    heads, positions, batch = settings.heads, X.shape[-2], batched(X)
    Q = _project(step, "Q", QUERY, X, W_Q, heads)
    K = _project(step, "K", KEY, X, W_K, heads)
    V = _project(step, "V", KEY, X, W_V, heads)
    if settings.positions == "rotary":
        Q = step("Q_rotated", Rotate((*batch, HEAD, QUERY, FEATURE)), Q)
        K = step("K_rotated", Rotate((*batch, HEAD, KEY, FEATURE)), K)
    bias = Alibi(MAP, heads, positions) if settings.positions == "alibi" else None
    mixed = attend(step, Q, K, V, _head(settings), bias)
    joined = step("joined", MergeHeads((*batch, QUERY, JOINED), "d_value"), mixed)
    if W_O is None:
        return step("output", Copy((*batch, QUERY, JOINED)), joined)
    columns = (*batch, QUERY, JOINED)
    return step("output", Contract((*batch, QUERY, MODEL), columns, (JOINED, MODEL)), joined, W_O)


def _head(settings: Settings) -> Head:
    """How every head computes; without scaling its scores stay as they are."""
    return Head(None if settings.scale else 1.0, None, settings.mask, settings.mask_fill)


def _project(step: Step, name: str, role: str, X: Any, W: Any, heads: int) -> Any:
    """X W, cut into heads; `role` is what its positions are there for: query or key."""
    width, batch = "d_value" if name == "V" else "d_head", batched(X)
    projection = Contract((*batch, POSITION, JOINED), (*batch, POSITION, MODEL), (MODEL, JOINED))
    product = step(f"XW_{name}", projection, X, W)
    return step(name, SplitHeads((*batch, HEAD, role, FEATURE), heads, 1, width), product)
