"""How a weight lies in the array that holds it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

ORDERS = {
    "in, out": "(in, out), for x @ W",
    "out, in": "(out, in), for x @ W.T, as torch.nn.Linear keeps it",
    "by head": "(heads, in, d_head), and W_O (heads, d_head, out)",
}
"""The orders of axes a weight may have."""


def from_reference(matrix: np.ndarray, order: str, role: str, heads: int) -> np.ndarray:
    """An array in the order, of a matrix (in, out), or of a bias (out,).

    Args:
        matrix: the weight as the reference has it.
        order: one of `ORDERS`.
        role: "W_Q", "b_Q" ...
        heads: how many the weight has.
    """
    if role.startswith("b_"):
        return matrix.reshape(heads, -1) if order == "by head" and role != "b_O" else matrix
    if order == "out, in":
        return matrix.T
    if order == "by head":
        rows, columns = matrix.shape
        if role == "W_O":
            return matrix.reshape(heads, rows // heads, columns)
        return matrix.reshape(rows, heads, columns // heads).swapaxes(0, 1)
    return matrix


def to_reference(array: np.ndarray, order: str, role: str) -> np.ndarray:
    """The matrix (in, out), or the bias (out,), of an array in the order."""
    if role.startswith("b_"):
        return array.reshape(-1)
    if order == "out, in":
        return array.T
    if order == "by head":
        heads, rows, columns = array.shape
        if role == "W_O":
            return array.reshape(heads * rows, columns)
        return array.swapaxes(0, 1).reshape(rows, heads * columns)
    return array


@dataclass(frozen=True)
class Piece:
    """The part of a weight that lies in one array.

    Attributes:
        path: of the array in its object.
        order: one of `ORDERS`.
        columns: which of the outputs of that array, in order; all if None.
    """

    path: str
    order: str
    columns: tuple[int, ...] | None = None


def cut(heads: int, kv_heads: int, width: int, kinds: str, by_head: bool) -> dict[str, tuple[int, ...]]:
    """The columns of each of several weights in one array.

    Args:
        heads: of the queries.
        kv_heads: of keys and values.
        width: of the array, all outputs.
        kinds: "QKV" or "KV".
        by_head: head by head: q, k and v of head 0, then of head 1 ...; otherwise one weight after the other.

    Raises:
        ValueError: they do not share the width evenly.
    """
    counts = {kind: heads if kind == "Q" else kv_heads for kind in kinds}
    d_head, rest = divmod(width, sum(counts.values()))
    if rest or (by_head and heads != kv_heads):
        raise ValueError(
            f"{width} columns cannot be cut into {', '.join(f'{n} of {k}' for k, n in counts.items())}"
        )
    places = np.arange(width)
    if by_head:
        parts = places.reshape(heads, len(kinds), d_head).swapaxes(0, 1).reshape(len(kinds), -1)
    else:
        parts = np.split(places, np.cumsum([count * d_head for count in counts.values()])[:-1])  # type: ignore[assignment]
    return {kind: tuple(map(int, part)) for kind, part in zip(kinds, parts, strict=True)}
