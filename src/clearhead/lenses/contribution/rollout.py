"""Attention rollout: from where what one position holds after each layer could have come."""

from __future__ import annotations

import numpy as np

from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.recompute import weights_of

ROWS_AT_ONCE = 256
"""Rows of a layer's weights that are looked at together, so that no whole square is ever made."""

RESIDUAL = 0.5
"""The share that stays at its own position: the residual connection, counted as half (Abnar and Zuidema 2020)."""

ROLLOUT_IS = (
    "Rollout follows weights alone: the mean over heads in each layer, half of every row staying where it is. Values, "
    "W_O, feed-forward networks and norms are not in it, and a sink's share is spread over the rest. It says where "
    "information could have come from, not where it did come from, and it is no explanation of an answer."
)
"""What the numbers are, and what they are not, in words."""


def rollout(capture: Capture, position: int, *, batch: int = 0, tower: str | None = None) -> np.ndarray:
    """From which positions of a tower's input comes what one position holds after each of its attention layers.

    Abnar and Zuidema 2020, Quantifying attention flow in transformers, section 3: in each layer a position is half
    itself and half the mean of its heads' rows. Row l is row `position` of the product of layers l, l - 1 ... 0, so the
    last row is the rollout of the whole tower. Blocks without attention leave every position where it is. See
    `ROLLOUT_IS` for what this is not.

    Args:
        capture: what was captured.
        position: whose holdings are followed, from 0.
        batch: the sequence.
        tower: the part of the model; the main one if it is not said.

    Returns:
        (layers, positions) float64; every row sums to 1. The rows are the tower's attention layers in order.

    Raises:
        LookupError: there is no such tower, sequence or position.
        ValueError: its queries and keys are not the same positions in every layer.

    Example::

        ch.rollout(capture, 9)[-1]            # the share of each token that went in
    """
    layers = _layers(capture, tower)
    assert layers[0].attention is not None  # only such layers are taken
    positions, sequences = layers[0].attention.queries, layers[0].attention.sequences
    for axis, number, size in (("batch", batch, sequences), ("position", position, positions)):
        if not 0 <= number < size:
            raise LookupError(f"{axis}: {number!r} is not there; expected 0 to {size - 1}")
    shares = np.zeros((len(layers), positions))
    for place in reversed(
        range(len(layers))
    ):  # what begins at a layer goes down together with what began above it
        attention = layers[place].attention
        assert attention is not None  # only such layers are taken
        shares[place, position] = 1
        shares[place:] = _down(attention, batch, shares[place:])
    return shares


def _layers(capture: Capture, tower: str | None) -> list[Layer]:
    """The attention layers of a tower, all over the same positions."""
    tower = capture.main if tower is None else tower
    if tower not in capture.towers:
        raise LookupError(
            f"tower: {tower!r} is none of this model's; expected one of {', '.join(capture.towers)}"
        )
    layers = [layer for layer in capture.attentions() if layer.tower == tower]
    sizes = {size for layer in layers if (one := layer.attention) for size in (one.queries, one.keys)}
    if len(sizes) > 1 or any(layer.rows != layer.columns for layer in layers):
        raise ValueError(
            f"rollout: queries and keys of {tower or 'this model'} are not the same positions in every layer; expected "
            "a tower of self-attention over one sequence"
        )
    if not layers:
        raise LookupError(f"tower: {tower!r} has no attention that was captured")
    return layers


def _down(attention: Attention, batch: int, shares: np.ndarray) -> np.ndarray:
    """One layer down: half stays, half goes where the heads look, in rows made to sum to 1; a blind row stays whole.

    `shares` and the result are (any, positions).
    """
    result = RESIDUAL * shares
    for first in range(0, attention.queries, ROWS_AT_ONCE):
        rows = slice(first, min(first + ROWS_AT_ONCE, attention.queries))
        if not shares[:, rows].any():
            continue
        total: np.ndarray = sum(
            (weights_of(attention, batch, head, rows) for head in range(attention.heads)),
            np.zeros((rows.stop - rows.start, attention.keys)),
        )
        sums = total.sum(axis=1)
        moving = RESIDUAL * shares[:, rows] / np.where(sums > 0, sums, 1)
        result = result + moving @ total
        result[:, rows] += np.where(sums > 0, 0, RESIDUAL * shares[:, rows])
    return result
