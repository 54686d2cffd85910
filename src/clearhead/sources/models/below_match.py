"""Which columns of which linear layer make the queries (keys, values) of each head: found by comparing a few rows.

Turning by position and one common factor leave the length of a head's vector as it is, or change all lengths by that
factor; so a head is looked for by the lengths of its rows. What is found here is only a guess, which is proven after.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

import numpy as np

from clearhead.trace.capture.below import Norm
from clearhead.trace.capture.held import EPSILON, Held, precise

ROWS = 16
"""Rows whose lengths are compared."""

TINY = float(np.finfo(np.float64).tiny)

ROUNDINGS = 8
"""Roundings of its format that the length of a row may be off."""

SUMMED = 2048
"""Roundings of float32, in which the products are added up here as in the model, that it may be off by beside."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A linear layer, with what it was given.

    Attributes:
        hidden: (sequences, positions, d_model).
        weight: (d_model, columns).
        bias: (columns,) or None.
        same: a number that two have in common if they were given the same.
    """

    hidden: Held
    weight: Held
    bias: Held | None
    same: int


@dataclass(frozen=True, eq=False)
class Match:
    """A guess: the layer, its columns (heads, width) for each head, and the norm they go through."""

    candidate: Candidate
    columns: np.ndarray
    norm: Norm | None
    apart: float


def match(target: Held, candidates: Sequence[Candidate], norms: Sequence[Norm] = ()) -> Match | None:
    """Where the heads of `target`, (sequences, heads, positions, width), come from, as far as a few rows tell."""
    sequences, _, positions, width = target.shape
    rows = _some(sequences, positions)
    wanted = np.stack([precise(target, batch, slice(None), place) for batch, place in rows])
    close = ROUNDINGS * EPSILON[str(target.dtype)] + SUMMED * EPSILON["float32"]
    found = [
        guess
        for candidate in candidates
        if candidate.hidden.shape[:2] == (sequences, positions) and candidate.weight.shape[1] >= width
        for guess in _guesses(candidate, rows, wanted, norms, close)
        if guess.apart <= close
    ]
    plain = [guess for guess in found if guess.norm is None]
    return min(plain or found, key=lambda guess: guess.apart, default=None)


def _some(sequences: int, positions: int) -> list[tuple[int, int]]:
    """A few places, evenly spread over all."""
    total = sequences * positions
    chosen = np.unique(np.linspace(0, total - 1, min(ROWS, total)).round().astype(int))
    return [(int(place) // positions, int(place) % positions) for place in chosen]


def _guesses(
    candidate: Candidate,
    rows: Sequence[tuple[int, int]],
    wanted: np.ndarray,
    norms: Sequence[Norm],
    close: float,
) -> list[Match]:
    """For each norm, and none, the columns whose rows come closest."""
    width = wanted.shape[2]
    x = np.stack([precise(candidate.hidden, *place) for place in rows]).astype(np.float32)
    product = x @ np.asarray(candidate.weight[...], np.float32)
    if candidate.bias is not None:
        product += np.asarray(candidate.bias[...], np.float32)
    step = gcd(width, product.shape[1])
    windows = np.lib.stride_tricks.sliding_window_view(product.astype(np.float64), width, axis=1)[:, ::step]
    guesses = []
    for norm in (None, *norms):
        one = windows if norm is None else normed(windows, norm)
        place, apart = _equal(wanted, one)
        if apart > close:
            place, apart = _as_long(np.linalg.norm(wanted, axis=2), np.linalg.norm(one, axis=2))
        guesses.append(Match(candidate, place[:, None] * step + np.arange(width), norm, apart))
    return guesses


def normed(x: np.ndarray, norm: Norm) -> np.ndarray:
    """x after a norm along its last axis (its gain is one for all heads here)."""
    distance = x - x.mean(axis=-1, keepdims=True) if norm.centred else x
    result = distance / np.sqrt((distance**2).mean(axis=-1, keepdims=True) + norm.epsilon) * norm.gain[0]
    return result if norm.bias is None else result + norm.bias[0]


def _equal(wanted: np.ndarray, there: np.ndarray) -> tuple[np.ndarray, float]:
    """For each head (rows, heads, width) the window (rows, windows, width) that is most nearly the same.

    Returns:
        The windows, and by how much the worst of them differs, relative to its length.
    """
    own = (wanted**2).sum(axis=(0, 2))[:, None]
    apart = own + (there**2).sum(axis=(0, 2)) - 2 * np.tensordot(wanted, there, ((0, 2), (0, 2)))
    relative = np.sqrt(np.maximum(apart, 0) / np.maximum(own, TINY))
    place = relative.argmin(axis=1)
    return place, float(relative.min(axis=1).max())


def _as_long(wanted: np.ndarray, there: np.ndarray) -> tuple[np.ndarray, float]:
    """For each head (rows, heads) the window (rows, windows) whose rows are as long, up to one factor for all heads.

    Returns:
        The windows, and by how much the worst of them differs, relative to its length.
    """
    ratio = wanted[:, :, None] / np.maximum(there[:, None, :], TINY)  # rows, heads, windows
    middle = np.median(ratio, axis=0)
    spread = np.abs(ratio / np.maximum(middle, TINY) - 1).max(axis=0)
    place = spread.argmin(axis=1)
    if len(wanted) == 1:  # one row has no spread: its length is compared
        place = np.abs(np.log(np.maximum(middle, TINY))).argmin(axis=1)
    heads = np.arange(len(place))
    factors = middle[heads, place]
    uneven = np.abs(factors / np.maximum(np.median(factors), TINY) - 1).max()
    return place, float(max(spread[heads, place].max(), uneven))
