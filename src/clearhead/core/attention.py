"""One attention layer, top to bottom on one screen.

Each line names a quantity, the operation that makes it and what it is made of. What a line *does* is up to `step`:
`compute` below just computes; the recorder in `clearhead.trace` keeps every quantity with its recipe.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearhead.core.axes import FEATURE, HEAD, JOINED, KEY, MODEL, POSITION, QUERY
from clearhead.core.ops import (
    Add,
    Alibi,
    Contract,
    Copy,
    Lookup,
    Masked,
    MergeHeads,
    Operation,
    Rotate,
    ScaleByRoot,
    Sinusoid,
    Softmax,
    SplitHeads,
)  # fmt: skip

Step = Callable[..., Any]
"""step(name, operation, *inputs) -> an array, or whatever stands for one (it has a `shape`)."""

POSITION_SCHEMES = ("none", "sinusoidal", "learned", "rotary", "alibi")

MAP = (HEAD, QUERY, KEY)


@dataclass(frozen=True)
class Settings:
    """The switches of one layer; see `clearhead.Example` for what each means."""

    heads: int = 1
    mask: str = "none"
    mask_fill: str = "-inf"
    scale: bool = True
    positions: str = "sinusoidal"
    scale_embeddings: bool = True


def compute(name: str, operation: Operation, *inputs: np.ndarray) -> np.ndarray:
    """The plain step: arrays in, array out."""
    return operation.forward(*inputs)


def embed(step: Step, E: Any, P: Any, rows: tuple[int, ...], settings: Settings) -> Any:
    """From words to X: look up, scale, add positions. (words, d_model) to (positions, d_model)."""
    width, axes = E.shape[1], (POSITION, MODEL)
    embeddings = step("embeddings", Lookup(axes, rows), E)
    scaling = ScaleByRoot(axes, width, "d_model", divide=False) if settings.scale_embeddings else Copy(axes)
    scaled = step("embeddings_scaled", scaling, embeddings)
    if settings.positions == "sinusoidal":
        positions = step("positions", Sinusoid(axes, len(rows), width))
    elif settings.positions == "learned":
        positions = step("positions", Lookup(axes, tuple(range(len(rows)))), P)
    else:
        return step("X", Copy(axes), scaled)
    return step("X", Add(axes), scaled, positions)


def attention(step: Step, X: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any, settings: Settings) -> Any:
    """Vaswani et al. 2017, section 3.2: softmax(Q K^T / root(d_head)) V, heads joined, times W_O.

    Shapes: X (positions, d_model); W_Q, W_K (d_model, heads * d_head); W_V (d_model, heads * d_value); W_O
    (heads * d_value, d_out) or None; the result (positions, d_out).
    """
    heads, positions = settings.heads, X.shape[0]
    d_head = W_Q.shape[1] // heads
    Q = _project(step, "Q", QUERY, X, W_Q, heads)
    K = _project(step, "K", KEY, X, W_K, heads)
    V = _project(step, "V", KEY, X, W_V, heads)
    if settings.positions == "rotary":
        Q = step("Q_rotated", Rotate((HEAD, QUERY, FEATURE)), Q)
        K = step("K_rotated", Rotate((HEAD, KEY, FEATURE)), K)
    scores = step("scores", Contract(MAP, (HEAD, QUERY, FEATURE), (HEAD, KEY, FEATURE)), Q, K)
    scaling = ScaleByRoot(MAP, d_head, "d_head", divide=True) if settings.scale else Copy(MAP)
    scaled = step("scaled", scaling, scores)
    if settings.positions == "alibi":
        bias = step("bias", Alibi(MAP, heads, positions))
        scaled = step("biased", Add(MAP), scaled, bias)
    masked = step("masked", Masked(MAP, settings.mask, settings.mask_fill), scaled)
    weights = step("weights", Softmax(MAP), masked)
    mixed = step("mixed", Contract((HEAD, QUERY, FEATURE), MAP, (HEAD, KEY, FEATURE)), weights, V)
    joined = step("joined", MergeHeads((QUERY, JOINED), "d_value"), mixed)
    if W_O is None:
        return step("output", Copy((QUERY, JOINED)), joined)
    return step("output", Contract((QUERY, MODEL), (QUERY, JOINED), (JOINED, MODEL)), joined, W_O)


def _project(step: Step, name: str, role: str, X: Any, W: Any, heads: int) -> Any:
    """X W, cut into heads; `role` is what its positions are there for: query or key."""
    width = "d_value" if name == "V" else "d_head"
    product = step(f"XW_{name}", Contract((POSITION, JOINED), (POSITION, MODEL), (MODEL, JOINED)), X, W)
    return step(name, SplitHeads((HEAD, role, FEATURE), heads, 1, width), product)
