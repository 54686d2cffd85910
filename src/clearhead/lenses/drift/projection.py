"""Word vectors at several moments, in the two directions in which they finally differ most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def projection(tables: Sequence[np.ndarray]) -> tuple[np.ndarray, tuple[float, float]]:
    """Each word as a point at each moment, by the principal components (Pearson 1901) of the last moment.

    The directions are those of the last table, at every moment the same ones, so that a point that moves is a word that
    moved. Each direction points to where the largest of its last coordinates is positive.

    Args:
        tables: E at each moment; (words, d_model) each.

    Returns:
        (moments, words, 2), and the shares of the last table's spread that lie along x and along y.
    """
    last = tables[-1]
    center = last.mean(axis=0)
    _, sizes, directions = np.linalg.svd(last - center, full_matrices=False)
    directions = np.vstack([directions, np.zeros((2, last.shape[1]))])[:2]
    spread = np.append(sizes**2, [0.0, 0.0])
    shares = spread[:2] / spread.sum() if spread.sum() > 0 else np.zeros(2)
    along = (last - center) @ directions.T
    signs = np.where(along[np.abs(along).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    points = np.stack([(table - center) @ directions.T * signs for table in tables])
    return points, (float(shares[0]), float(shares[1]))


def cosines(tables: Sequence[np.ndarray]) -> np.ndarray:
    """The cosine between the vectors of every two words at each moment; a vector of length 0 has 0 with every other.

    Args:
        tables: E at each moment; (words, d_model) each.

    Returns:
        (moments, words, words), each from −1 to 1.
    """
    found = []
    for table in tables:
        lengths = np.linalg.norm(table, axis=1, keepdims=True)
        unit = np.divide(table, lengths, out=np.zeros_like(table), where=lengths > 0)
        found.append(np.clip(unit @ unit.T, -1.0, 1.0))
    return np.stack(found)
