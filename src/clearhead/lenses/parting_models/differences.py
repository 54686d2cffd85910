"""How far two rows lie apart, and how far they may."""

from __future__ import annotations

import numpy as np


def apart(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """|a − b| cell by cell; 0 where both are the same infinity or both NaN, infinite where one of them is NaN."""
    with np.errstate(invalid="ignore"):
        found = np.abs(a - b)
    found[(a == b) | (np.isnan(a) & np.isnan(b))] = 0
    found[np.isnan(found)] = np.inf
    return np.asarray(found)


def lengths(rows: np.ndarray) -> np.ndarray:
    """(rows,) the Euclidean length of each; infinite where a cell is infinite or NaN."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = np.sqrt(np.einsum("rc,rc->r", rows, rows))
    return np.where(np.isnan(found), np.inf, found)


def relative(off: np.ndarray, size: np.ndarray) -> np.ndarray:
    """(rows,) the length of a difference as a part of a size; 0 where there is none, infinite where the size is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = off / size
    return np.where(off == 0, 0.0, np.where(np.isnan(found), np.inf, found))


def of_rows(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(rows,) how far the rows are apart, as a part of the longer one, or of the mean row where that is longer.

    The mean is the root of the mean square: what is left where a row cancels out is no measure of its rounding.
    """
    size = np.maximum(lengths(a), lengths(b))
    usual = size[np.isfinite(size)]
    mean = float(np.sqrt(np.mean(usual**2))) if len(usual) else 0.0
    return relative(lengths(apart(a, b)), np.maximum(size, mean))


def spread(weights: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """(rows, keys) how far weights may be off whose scores are off by so much: w_j (e_j + Σ_k w_k e_k).

    Higham 2002, section 3.1, carried through the softmax to first order; (e^(2e) − 1) / 2 stands for e, for what is
    beyond it, and errors count up to 20: a weight cannot change by more than 1.
    """
    grown = np.expm1(2 * np.minimum(errors, 20.0)) / 2
    mean = np.einsum("rk,rk->r", weights, grown)[:, None]
    return np.asarray(np.minimum(weights * (grown + mean), 1.0))
