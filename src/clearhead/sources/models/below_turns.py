"""What lies between a projection and the dot product: nothing, one factor, a norm, a turn by position; and its proof.

Everything is recomputed in float64 beside a bound, cell by cell, of what rounding in the model's format can do to first
order (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1). A way is proven if no number of any
row and head lies further from the model's than that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from clearhead.core.ops.rotate_by import LAYOUTS
from clearhead.sources.models.below_match import TINY, Match, normed
from clearhead.trace.capture.below import Projection, columns_of
from clearhead.trace.capture.bound import ACCUMULATED
from clearhead.trace.capture.held import EPSILON, Held, precise

STEPS = 4
"""Roundings in the format of the result that one step (a norm, a turn) takes at most, in any order of its parts."""


@dataclass(frozen=True, eq=False)
class Made:
    """Numbers of all heads, (sequences, heads, positions, width): recomputed, their bound, and the model's own."""

    recomputed: np.ndarray
    bound: np.ndarray
    captured: np.ndarray
    unit: float

    @property
    def proven(self) -> bool:
        """Whether rounding explains every difference; a NaN is none it explains."""
        return bool((np.abs(self.recomputed - self.captured) <= self.bound).all())

    def times(self, factor: float) -> Made:
        """The same, multiplied by one number."""
        if factor == 1:
            return self
        one = factor * self.recomputed
        return replace(self, recomputed=one, bound=abs(factor) * self.bound + STEPS * self.unit * np.abs(one))


def made(target: Held, guess: Match) -> Made:
    """hidden W + b, through the norm if there is one.

    A sum of d_model products is off by at most d_model units of the format it is added up in, times |hidden| |W|.
    """
    one = guess.candidate
    kept = EPSILON[str(target.dtype)] / 2
    added = min(kept, EPSILON[ACCUMULATED] / 2)
    x = precise(one.hidden)
    length = np.linalg.norm(x, axis=2)[..., None]
    products, bounds = [], []
    for columns in guess.columns:
        weight = columns_of(one.weight, slice(None), columns)
        product = x @ weight
        bound = added * (x.shape[2] + 2) * length * np.linalg.norm(weight, axis=0) + kept * np.abs(product)
        if one.bias is not None:
            product = product + columns_of(one.bias, columns)
            bound = bound + 2 * kept * np.abs(product)
        products.append(product)
        bounds.append(bound)
    result = Made(np.stack(products, 1), np.stack(bounds, 1), precise(target), kept)
    return result if guess.norm is None else _normed(result, guess)


def _normed(one: Made, guess: Match) -> Made:
    """Through the norm: each number is off by its own bound, and by that of the spread it is divided by."""
    norm = guess.norm
    assert norm is not None  # only then it is called
    after = normed(one.recomputed, norm)
    distance = (
        one.recomputed - one.recomputed.mean(axis=-1, keepdims=True) if norm.centred else one.recomputed
    )
    spread = np.sqrt((distance**2).mean(axis=-1, keepdims=True) + norm.epsilon)
    worst = one.bound.max(axis=-1, keepdims=True) * (2 if norm.centred else 1)
    bound = np.abs(norm.gain[0]) * (worst + np.abs(distance) / spread * worst) / spread
    return replace(one, recomputed=after, bound=bound + 2 * STEPS * one.unit * np.abs(after))


def plainly(one: Made) -> float | None:
    """The factor that turns the recomputed into the captured numbers, 1 for none; None if no factor does."""
    if one.proven:
        return 1.0
    square = float((one.recomputed**2).sum())
    factor = _likely(float((one.recomputed * one.captured).sum()) / square if square else 0.0, one)
    return factor if one.times(factor).proven else None


def _likely(factor: float, one: Made) -> float:
    """The factor a model means by one that was found from rounded numbers: 1, 1 / root(d_head), or this."""
    usual = (1.0, one.recomputed.shape[-1] ** -0.5)
    return next((exact for exact in usual if np.isclose(factor, exact, rtol=2 * STEPS * one.unit)), factor)


def apart(parts: Sequence[Made]) -> float:
    """By what factor the first of two parts is longer than the second, beside what their own projections say.

    ESM scales its queries before it turns them. What lengthens both alike (YaRN, Peng et al. 2023, section 3.4) is a
    part of the cosines and sines.
    """
    lengths = [_length(one.captured) / max(_length(one.recomputed), TINY) for one in parts]
    return _likely(lengths[0] / max(lengths[1], TINY), parts[0]) if len(lengths) == 2 else 1.0


def _length(x: np.ndarray) -> float:
    return float(np.sqrt((x**2).sum()))


@dataclass(frozen=True, eq=False)
class Turns:
    """Turns by position: cos and sin (sequences, positions, rotated / 2), and how pairs are made."""

    pairs: str
    rotated: int
    cos: np.ndarray
    sin: np.ndarray


def turned(parts: Sequence[Made]) -> Turns | None:
    """The turns that make all of the recomputed into the captured numbers, if one turn for all heads and parts does."""
    for rotated in _sizes(parts):
        for pairs in LAYOUTS:
            found = _turns(parts, pairs, rotated)
            if found is not None:
                return found
    return None


def _sizes(parts: Sequence[Made]) -> Iterator[int]:
    """How many features may be turned: all up to the last that changes, then the usual shares of all."""
    width = parts[0].recomputed.shape[-1]
    changed = np.any(
        [(np.abs(one.recomputed - one.captured) > one.bound).any(axis=(0, 1, 2)) for one in parts], 0
    )
    last = int(np.flatnonzero(changed).max(initial=0)) + 1
    sizes = [last + last % 2, width, width // 2, width // 4, 3 * width // 4]
    yield from dict.fromkeys(size for size in sizes if size and size % 2 == 0 and last <= size <= width)


def _turns(parts: Sequence[Made], pairs: str, rotated: int) -> Turns | None:
    """Each pair's turn is the mean over heads and parts, weighted by length; then it is held against every number."""
    upward: np.ndarray | float = 0.0
    square: np.ndarray | float = 0.0
    unsure: np.ndarray | float = 0.0
    for one in parts:
        before, after, bound = (
            _complex(x, pairs, rotated) for x in (one.recomputed, one.captured, one.bound)
        )
        upward = upward + (np.conj(before) * after).sum(axis=1)
        square = square + (np.abs(before) ** 2).sum(axis=1)
        unsure = unsure + (np.abs(before) * np.abs(bound)).sum(axis=1)
    some = np.maximum(square, TINY)
    turn, unsure = upward / some, unsure / some
    length = float(np.median(np.abs(turn)))
    unit = STEPS * parts[0].unit
    if (np.abs(np.abs(turn) - length) > unsure + 2 * unit * length).any():
        return None  # stretched, not turned
    if not all(_after(one, turn, unsure, pairs, rotated).proven for one in parts):
        return None
    return Turns(pairs, rotated, turn.real.copy(), turn.imag.copy())


def _after(one: Made, turn: np.ndarray, unsure: np.ndarray, pairs: str, rotated: int) -> Made:
    before = _complex(one.recomputed, pairs, rotated)
    after = before * turn[:, None]
    bound = _complex(one.bound, pairs, rotated)
    each = np.abs(bound.real) + np.abs(bound.imag) + np.abs(before) * (unsure[:, None] + 2 * STEPS * one.unit)
    recomputed, bounds = one.recomputed.copy(), one.bound.copy()
    lower, upper = _places(pairs, rotated)
    recomputed[..., lower], recomputed[..., upper] = after.real, after.imag
    bounds[..., lower], bounds[..., upper] = each, each
    return replace(one, recomputed=recomputed, bound=bounds)


def _places(pairs: str, rotated: int) -> tuple[slice, slice]:
    """Where the first and the second features of all pairs stand, as in `clearhead.core.ops.RotateBy`."""
    if pairs == "halves":
        return slice(0, rotated // 2), slice(rotated // 2, rotated)
    return slice(0, rotated, 2), slice(1, rotated, 2)


def _complex(x: np.ndarray, pairs: str, rotated: int) -> np.ndarray:
    lower, upper = _places(pairs, rotated)
    return np.asarray(x[..., lower] + 1j * x[..., upper])


def projection(guess: Match, factor: float = 1.0, turns: Turns | None = None) -> Projection:
    """What is proven, as it is kept."""
    one = guess.candidate
    return Projection(
        one.hidden, one.weight, one.bias, guess.columns, factor, guess.norm,
        0 if turns is None else turns.rotated, "" if turns is None else turns.pairs,
    )  # fmt: skip
