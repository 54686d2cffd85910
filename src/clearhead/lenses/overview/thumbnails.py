"""A small picture of every head of a layer: the largest weight of each part of its map, and where the mask hides it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.hidden_bins import hidden_bins
from clearhead.trace.capture.overview import LayerOverview
from clearhead.trace.capture.visible import Pattern

SIDE = 24
"""Cells along a side of a small picture, at most."""

MASKED = 0
"""The byte of a part that the mask hides altogether."""

STEPS = 253
"""Steps from a weight of 0 to one of 1: the bytes from 1 to 254."""

NO_NUMBER = 255
"""The byte of a part in which a weight is NaN."""


def thumbnails(overview: LayerOverview, attention: Attention, batch: int = 0, side: int = SIDE) -> np.ndarray:
    """The maps of a layer, made small.

    A part's largest weight stands for it: the mean would let a thin line, such as that of a head which looks at the
    token before, fade away with the length of the text. A part that the mask hides has no weight, and one with a NaN no
    number, which are something else than a weight of 0: each has a byte of its own.

    Args:
        overview: of the layer, whose maps are pooled by their maximum already.
        attention: the layer's, which says what is masked.
        batch: which sequence.
        side: cells along a side, at most.

    Returns:
        uint8 (heads, min(side, queries), min(side, keys)): 0 where all cells of a part are masked, 255 where a
        weight of it is NaN, else 1 + 253 × its largest weight; `weights_in` reads it.
    """
    pooled = np.nan_to_num(np.asarray(overview.largest[batch], dtype=np.float64))
    size = pooled.shape[1:]
    starts = np.arange(size[0]) * attention.queries // size[0]
    nowhere = np.logical_or.reduceat(np.isnan(np.asarray(overview.lse[batch])), starts, axis=1)[..., None]

    @cache  # most heads of a layer have one mask
    def nothing(pattern: Pattern) -> np.ndarray:
        return hidden_bins(pattern, attention.keys, *size)

    masked = np.stack([nothing(attention.visible.pattern(batch, head)) for head in range(len(pooled))])
    masked &= pooled == 0  # a weight may be set by hand where the mask hides it
    pooled = np.where(nowhere & ~masked, np.nan, pooled)
    for axis in (1, 2):
        starts = _starts(pooled.shape[axis], side)
        pooled = np.maximum.reduceat(pooled, starts, axis=axis)
        masked = np.logical_and.reduceat(masked, starts, axis=axis)
    bytes_ = 1 + np.rint(np.clip(np.nan_to_num(pooled), 0.0, 1.0) * STEPS)
    return np.where(masked, MASKED, np.where(np.isnan(pooled), NO_NUMBER, bytes_)).astype(np.uint8)


def weights_in(pictures: np.ndarray) -> np.ma.MaskedArray[Any, Any]:
    """What `thumbnails` gave as weights again, float64, masked where a part is; NaN where there is no number."""
    weights = np.where(pictures == NO_NUMBER, np.nan, (pictures.astype(np.float64) - 1) / STEPS)
    return np.ma.masked_array(weights, pictures == MASKED)


def _starts(length: int, side: int) -> np.ndarray:
    """Where each of the parts begins that a length is cut into, as equally long as can be."""
    return np.unique(np.arange(min(side, length)) * length // min(side, length))
