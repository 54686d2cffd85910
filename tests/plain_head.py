"""What the streaming pass leaves of a head, by the plain formulas in float64 on the whole square of weights."""

from __future__ import annotations

from typing import Any

import numpy as np

ROWS = ("entropy", "spread", "first", "previous", "next", "induction", "duplicate", "distance", "sink")


@np.errstate(all="ignore")
def weights_of(
    query: Any,
    key: Any,
    scale: float,
    allowed: Any,
    *,
    soft_cap: Any = None,
    bias: Any = 0.0,
    sink: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """(queries, keys) the weights, and (queries,) the log-sum-exp of their scores, the sink among them."""
    scores = np.asarray(query, np.float64) @ np.asarray(key, np.float64).T * scale
    if soft_cap is not None:
        scores = soft_cap * np.tanh(scores / soft_cap)
    scores = np.where(allowed, scores + bias, -np.inf)
    largest = scores.max(1, keepdims=True) if sink is None else np.maximum(scores.max(1, keepdims=True), sink)
    largest[~allowed.any(1)] = 0.0
    e = np.exp(scores - largest)
    total = e.sum(1, keepdims=True)
    if sink is not None:
        total = total + np.where(allowed.any(1, keepdims=True), np.exp(sink - largest), 0.0)
    blind = ~allowed.any(1)
    lse = np.where(blind, -np.inf, (np.log(total) + largest)[:, 0])
    return np.where(blind[:, None], 0.0, e / total), lse


def plain_head(
    weights: np.ndarray,
    allowed: np.ndarray,
    *,
    sink: bool = False,
    words: Any = None,
    first: int | None = 0,
    own: bool = True,
    asked: Any = None,
    bins: int = 256,
    edges: Any = None,
) -> dict[str, np.ndarray]:
    """Every number of a row by its name, NaN where it is not defined; "mean", "largest", "histogram"; "away".

    Args:
        weights: (queries, keys).
        allowed: boolean, the mask.
        sink: whether a sink takes what a row's weights leave.
        words: (keys,) the number of each word, below 0 where it is not known.
        first: the first key that is not padding.
        own: whether queries and keys are the same tokens.
        asked: boolean (queries,), those that are not padding.
        bins: along each side.
        edges: of the classes of distances.
    """
    queries, keys = weights.shape
    bad = np.isnan(weights).any(1)
    weights = np.where(bad[:, None], 0.0, weights)
    sees = (allowed.any(1) | (weights != 0).any(1)) & ~bad
    there = sees & (True if asked is None else asked)
    i, j = np.arange(queries)[:, None], np.arange(keys)[None, :]
    total = weights.sum(1)
    taken = np.clip(1 - total, 0, 1) if sink else np.zeros(queries)
    entropy = -(weights * _log2(weights)).sum(1) - taken * _log2(taken)
    nothing = np.full(queries, np.nan)
    out = dict.fromkeys(ROWS, nothing) | {"entropy": entropy}
    most = np.log2(np.maximum(1, allowed.sum(1) + sink))
    out["spread"] = np.where(most > 0, entropy / np.where(most > 0, most, 1), np.nan)
    if sink:
        out["sink"] = taken
    cells = {} if first is None else {"first": np.broadcast_to(j == first, weights.shape)}
    if own:
        before = j < i
        cells |= {"previous": j == i - 1, "next": j == i + 1}
        if words is not None:
            same = (words[:, None] == words[None, :]) & (words >= 0) & before
            followed = np.zeros_like(same)
            followed[:, 1:] = same[:, :-1]
            cells |= {"duplicate": same, "induction": followed & before}
        with np.errstate(invalid="ignore", divide="ignore"):
            out["distance"] = np.where(total > 0, (weights * np.abs(i - j)).sum(1) / total, np.nan)
    for name, which in cells.items():
        out[name] = np.where((which & allowed).any(1), np.where(which, weights, 0).sum(1), np.nan)
    out = {name: np.where(there, values, np.nan) for name, values in out.items()}
    out |= pooled(weights, bins)
    if edges is not None and len(edges) > 1:
        place = np.searchsorted(edges, (i - j)[there], side="right") - 1
        inside = (place >= 0) & (place < len(edges) - 1)
        summed = np.bincount(place[inside], weights[there][inside], len(edges) - 1)
        out["histogram"] = summed / max(1, int(there.sum()))
    return out


def pooled(weights: np.ndarray, bins: int) -> dict[str, np.ndarray]:
    """The square made small, by the mean and by the maximum."""
    rows, columns = (
        [part * size // min(bins, size) for part in range(min(bins, size))] for size in weights.shape
    )
    sizes = [np.diff([*begin, size]) for begin, size in zip((rows, columns), weights.shape, strict=True)]
    summed = np.add.reduceat(np.add.reduceat(weights, columns, axis=1), rows, axis=0)
    largest = np.maximum.reduceat(np.maximum.reduceat(weights, columns, axis=1), rows, axis=0)
    return {"mean": summed / np.outer(*sizes), "largest": largest}


def _log2(share: np.ndarray) -> np.ndarray:
    return np.log2(np.maximum(share, np.finfo(np.float64).tiny))


def assert_close(found: Any, expected: np.ndarray, tolerance: float, what: str = "") -> None:
    """Every number within the tolerance of its size, or of 1 where it is smaller; NaN and ∞ where they belong."""
    found = np.asarray(found, np.float64)
    assert found.shape == expected.shape, what
    assert np.array_equal(np.isnan(found), np.isnan(expected)), f"{what}: NaN elsewhere"
    finite = np.isfinite(expected)
    assert np.array_equal(found[~finite], expected[~finite], equal_nan=True), what
    error = np.abs(found[finite] - expected[finite]) / np.maximum(1, np.abs(expected[finite]))
    assert error.max(initial=0) <= tolerance, f"{what}: off by {error.max():.3g}"
