"""The steps of one layer in two captures: how far each row is off, and how far it may be.

A row of what enters a layer, of Q, K or V may be off by a share of its length, see `tolerance`. Every step after that
is one operation, so it may be off by what the operation makes of the differences that enter it, and by its own
rounding: where a step is marked as beyond, it is that operation which is done otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clearhead.lenses.parting_models.aligned import Pair
from clearhead.lenses.parting_models.differences import apart, lengths, of_rows, relative, spread
from clearhead.lenses.parting_models.tolerance import Tolerance
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.bound import Bound
from clearhead.trace.capture.held import Held, precise
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.recompute import Rows, rows_of

STEPS = ("hidden", "Q", "K", "V", "scores", "scaled", "masked", "weights", "mixed", "output")
"""In the order of the computation."""

OF_KEYS = ("K", "V")
"""Those that have a row for each key; the others have one for each query."""

OF_LAYER = ("hidden", "output")
"""Those that all heads have in common."""

TO_A_KEY = ("scores", "scaled", "masked", "weights")
"""Those whose rows have a number for each key; the others have features."""

Off = tuple[np.ndarray, np.ndarray]
"""(rows,) how far each row is off relative to its size, and how far it may be."""


@dataclass(frozen=True, eq=False)
class Side:
    """Some rows of one head in one capture."""

    attention: Attention
    batch: int
    head: int
    rows: slice

    @cached_property
    def Q(self) -> np.ndarray:
        """(rows, d_head)."""
        return precise(self.attention.query, self.batch, self.head, self.rows)

    @cached_property
    def K(self) -> np.ndarray:
        """(keys, d_head)."""
        return precise(self.attention.key, self.batch, self.attention.key_head(self.head))

    @cached_property
    def V(self) -> np.ndarray:
        """(keys, d_value)."""
        return precise(self.attention.value, self.batch, self.attention.value_head(self.head))

    @cached_property
    def scores(self) -> np.ndarray:
        """(rows, keys)."""
        return np.asarray(self.Q @ self.K.T)

    @property
    def scaled(self) -> np.ndarray:
        """(rows, keys)."""
        return np.asarray(self.scores * self.attention.scale)

    @cached_property
    def found(self) -> Rows:
        """The masked scores and the weights."""
        return rows_of(self.attention, self.batch, self.head, self.rows)

    @property
    def masked(self) -> np.ndarray:
        """(rows, keys) −∞ where a key may not be seen; soft cap and bias are in it."""
        return self.found.masked

    @property
    def weights(self) -> np.ndarray:
        """(rows, keys)."""
        return self.found.weights

    @cached_property
    def mixed(self) -> np.ndarray:
        """(rows, d_value) what the kernel itself returned."""
        return precise(self.attention.output, self.batch, self.rows, self.head)

    @cached_property
    def sizes(self) -> np.ndarray:
        """(rows, keys) |q| |k|: what the size of a score is measured by, however much of it cancels."""
        return np.multiply.outer(lengths(self.Q), lengths(self.K))


def hidden_of(layer: Layer) -> Held | None:
    """(sequences, positions, d_model) what a layer's projections are given, if it was kept."""
    for part in ("Q", "K", "V"):
        if part in layer.below.projections:
            return layer.below.projections[part].hidden
    return None


def output_of(layer: Layer, batch: int, W_O: Held | None = None) -> np.ndarray | None:
    """(queries, d_model) what the heads mixed, joined, times W_O, or times another; None where it is not known."""
    assert layer.attention is not None  # only such layers are asked for
    W_O = layer.below.W_O if W_O is None else W_O
    joined = precise(layer.attention.output, batch).reshape(layer.attention.queries, -1)
    return None if W_O is None or W_O.shape[0] != joined.shape[1] else np.asarray(joined @ precise(W_O))


def of_layer(pair: Pair, batch: int, tolerance: Tolerance) -> Iterator[tuple[str, Off]]:
    """What all heads have in common: what enters the layer, and what it gives."""
    most = tolerance.at(pair.depth)
    held = hidden_of(pair.a), hidden_of(pair.b)
    if held[0] is not None and held[1] is not None and held[0].shape == held[1].shape:
        off = of_rows(precise(held[0], batch), precise(held[1], batch))
        yield "hidden", (off, np.full(len(off), most))
    a, b = output_of(pair.a, batch), output_of(pair.b, batch)
    if a is not None and b is not None and a.shape == b.shape:
        comparable = len({one.output.shape for one in pair.attentions}) == 1
        same = (
            output_of(pair.b, batch, pair.a.below.W_O) if comparable else None
        )  # b's heads through a's matrix
        explained = np.zeros(len(a)) if same is None else of_rows(a, same)
        yield "output", (of_rows(a, b), explained + 2 * most)


def of_keys(pair: Pair, batch: int, head: int, tolerance: Tolerance) -> Iterator[tuple[str, Off]]:
    """K and V of one query head, row by row."""
    a, b = (Side(one, batch, head, slice(0, 0)) for one in pair.attentions)
    for name in OF_KEYS:
        mine, theirs = getattr(a, name), getattr(b, name)
        if mine.shape == theirs.shape:
            yield name, (of_rows(mine, theirs), np.full(len(mine), tolerance.projected(pair.depth)))


def of_head(
    pair: Pair, batch: int, head: int, rows: slice, tolerance: Tolerance
) -> Iterator[tuple[str, Off]]:
    """The steps of some queries of one head, from Q to what the kernel returned."""
    a, b = (Side(one, batch, head, rows) for one in pair.attentions)
    most = tolerance.at(pair.depth)
    if a.Q.shape == b.Q.shape:
        yield "Q", (of_rows(a.Q, b.Q), np.full(len(a.Q), tolerance.projected(pair.depth)))
    seen = np.isfinite(a.masked) | np.isfinite(b.masked)
    sizes = np.where(seen, np.maximum(a.sizes, b.sizes), 0.0)
    scores = np.where(seen, apart(a.scores, b.scores), 0.0)
    size = lengths(sizes)
    explained = lengths(np.where(seen, _of_factors(a, b, sizes, most), 0.0))
    yield "scores", (relative(lengths(scores), size), relative(explained, size) + most)
    scale = max(abs(a.attention.scale), abs(b.attention.scale))
    scaled = np.where(seen, apart(a.scaled, b.scaled), 0.0)
    own = abs(a.attention.scale) * scores
    yield "scaled", (relative(lengths(scaled), scale * size), relative(lengths(own), scale * size) + most)
    masked = apart(a.masked, b.masked)
    size = lengths(np.where(seen, scale * sizes + _biases(a, b), 0.0))
    yield "masked", (relative(lengths(masked), size), relative(lengths(scaled), size) + most)
    weights = apart(a.weights, b.weights)
    size = np.maximum(lengths(a.weights), lengths(b.weights))
    moved = lengths(spread(np.maximum(a.weights, b.weights), np.where(np.isfinite(masked), masked, np.inf)))
    yield "weights", (relative(lengths(weights), size), relative(moved, size) + most)
    if a.mixed.shape == b.mixed.shape and not (a.attention.dropout or b.attention.dropout):
        yield "mixed", _of_mixed(a, b, weights, tolerance)


def _of_factors(a: Side, b: Side, sizes: np.ndarray, most: float) -> np.ndarray:
    """(rows, keys) by how much a score may be off whose query and key are."""
    if a.Q.shape != b.Q.shape:
        return np.asarray(2 * most * sizes)
    queries, keys = lengths(apart(a.Q, b.Q)), lengths(apart(a.K, b.K))
    return np.asarray(np.multiply.outer(queries, lengths(b.K)) + np.multiply.outer(lengths(a.Q), keys))


def _biases(a: Side, b: Side) -> np.ndarray | float:
    """(rows, keys) the size of what is added to the scaled scores."""
    found: np.ndarray | float = 0.0
    for one in (a, b):
        if one.attention.bias is not None:
            found = np.maximum(found, np.abs(one.attention.bias.table(one.batch, one.head, one.rows)))
    return found


def _of_mixed(a: Side, b: Side, weights: np.ndarray, tolerance: Tolerance) -> Off:
    """What the kernels returned: as far apart as the weights and values make it, and as rounding does."""
    values = apart(a.V, b.V)
    size = lengths(np.maximum(a.weights @ np.abs(a.V), b.weights @ np.abs(b.V)))
    explained = lengths(weights @ np.abs(a.V) + b.weights @ values)
    if tolerance.given is None:
        with np.errstate(invalid="ignore"):
            explained += sum(lengths(Bound(one.attention)(one.batch, one.head, one.found)) for one in (a, b))
        own = 0.0
    else:
        own = tolerance.given
    return relative(lengths(apart(a.mixed, b.mixed)), size), relative(explained, size) + own
