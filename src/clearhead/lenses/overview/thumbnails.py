"""A small picture of every head of a layer: the largest weight of each part of its map."""

from __future__ import annotations

import numpy as np

from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.recompute import weights_of

SIDE = 24
"""Cells along a side of a small picture, at most."""

ROWS_AT_ONCE = 256
"""Rows of a map that are computed together, so that a long text's whole square is never made."""


def thumbnails(attention: Attention, batch: int = 0, side: int = SIDE) -> np.ndarray:
    """The maps of a layer, made small.

    A part's largest weight stands for it: the mean would let a thin line, such as that of a head which looks at the
    token before, fade away with the length of the text.

    Args:
        attention: the layer.
        batch: which sequence.
        side: cells along a side, at most.

    Returns:
        uint8 (heads, min(side, queries), min(side, keys)): a weight of 1 is 255.
    """
    pictures = [_picture(attention, batch, head, side) for head in range(attention.heads)]
    return np.rint(np.clip(pictures, 0.0, 1.0) * 255).astype(np.uint8)


def _picture(attention: Attention, batch: int, head: int, side: int) -> np.ndarray:
    """(rows, columns) the largest weight of each part; rows that may hold anything but numbers count as 0."""
    rows, columns = _starts(attention.queries, side), _starts(attention.keys, side)
    picture = np.zeros((len(rows), len(columns)))
    for first in range(0, attention.queries, ROWS_AT_ONCE):
        block = slice(first, min(first + ROWS_AT_ONCE, attention.queries))
        weights = np.nan_to_num(weights_of(attention, batch, head, block))
        narrow = np.maximum.reduceat(weights, columns, axis=1)
        parts = np.searchsorted(rows, np.arange(block.start, block.stop), side="right") - 1
        np.maximum.at(picture, parts, narrow)
    return picture


def _starts(length: int, side: int) -> np.ndarray:
    """Where each of the parts begins that a length is cut into, as equally long as can be."""
    return np.unique(np.arange(min(side, length)) * length // min(side, length))
