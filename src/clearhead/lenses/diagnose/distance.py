"""Whether scores are the further off the further apart two positions stand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from clearhead.lenses.diagnose.seen import CLEAR, Known, Seen

FEW, NEARLY = 6, 0.9
"""Up to so many distances each difference is larger than the one before; of more the correlation is at least that."""


def by_distance(first: Seen, known: Known) -> str:
    """How the scores are further off the further apart two positions stand, measured from a position's own score."""
    steep = _slopes(first)
    if steep is not None and all(one.has_weights_of(one.scores + steep * _distance(one)) for one in known):
        if np.ptp(steep) <= CLEAR:
            return f"each position of distance changes the score by {steep.flat[0]:.4g}"
        return "the score changes with the distance, in each head by another number for each position"
    told = [
        one
        for one in known
        if _square(one) and (one.told == one.visible).all() and not one.has_weights_of(one.scores)
    ]
    if told and all(_grows(one) for one in told):
        return "the difference grows with the distance of two positions"
    return ""


def _distance(one: Seen) -> np.ndarray:
    queries, keys = one.right.shape[-2:]
    return np.abs(np.subtract.outer(np.arange(queries), np.arange(keys))).astype(float)


def _square(one: Seen) -> bool:
    queries, keys = one.right.shape[-2:]
    return queries == keys and bool(np.diagonal(one.told, axis1=-2, axis2=-1).all())


def _off_own(one: Seen) -> np.ndarray:
    off = one.logarithms - one.scores
    return np.asarray(off - np.diagonal(off, axis1=-2, axis2=-1)[..., None])


def _slopes(one: Seen) -> np.ndarray | None:
    """(batch, heads, 1, 1) what each position of distance adds."""
    if not _square(one):
        return None
    distance = _distance(one)
    each = np.where(one.told & (distance > 0), _off_own(one) / np.maximum(distance, 1), np.nan)
    return np.asarray(np.nanmean(each, axis=(-2, -1), keepdims=True))


def _grows(one: Seen) -> bool:
    off, told, distance = _off_own(one), one.told, _distance(one)
    means = [np.abs(off[..., distance == d][told[..., distance == d]]) for d in range(1, off.shape[-1])]
    sizes = [float(one.mean()) for one in means]
    if len(sizes) <= FEW:
        return all(b > a for a, b in pairwise(sizes))
    return float(np.corrcoef(sizes, np.arange(len(sizes)))[0, 1]) >= NEARLY
