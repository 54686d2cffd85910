"""A small picture of every head of a layer: the largest weight of each part of its map."""

from __future__ import annotations

import numpy as np

from clearhead.trace.capture.overview import LayerOverview

SIDE = 24
"""Cells along a side of a small picture, at most."""


def thumbnails(overview: LayerOverview, batch: int = 0, side: int = SIDE) -> np.ndarray:
    """The maps of a layer, made small.

    A part's largest weight stands for it: the mean would let a thin line, such as that of a head which looks at the
    token before, fade away with the length of the text. Numbers of the model that are none count as 0.

    Args:
        overview: of the layer, whose maps are pooled by their maximum already.
        batch: which sequence.
        side: cells along a side, at most.

    Returns:
        uint8 (heads, min(side, queries), min(side, keys)): a weight of 1 is 255.
    """
    pooled = np.nan_to_num(np.asarray(overview.largest[batch], dtype=np.float64))
    for axis in (1, 2):
        pooled = np.maximum.reduceat(pooled, _starts(pooled.shape[axis], side), axis=axis)
    return np.rint(np.clip(pooled, 0.0, 1.0) * 255).astype(np.uint8)


def _starts(length: int, side: int) -> np.ndarray:
    """Where each of the parts begins that a length is cut into, as equally long as can be."""
    return np.unique(np.arange(min(side, length)) * length // min(side, length))
