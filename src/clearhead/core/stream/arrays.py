"""The few functions on arrays that the pass needs and that NumPy and PyTorch call differently.

Nothing here imports PyTorch: whoever hands over its arrays has imported it.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any

import numpy as np


class NumPyArrays:
    """Arrays of NumPy."""

    def empty(self, shape: tuple[int, ...], like: Any) -> Any:
        """Room for numbers of the same format."""
        return np.empty(shape, like.dtype)

    def zeros(self, shape: tuple[int, ...], like: Any, *, double: bool = False) -> Any:
        """Zeros of the same format, or of float64."""
        return np.zeros(shape, np.float64 if double else like.dtype)

    def like(self, array: np.ndarray, other: Any, *, exact: bool = False) -> Any:
        """A NumPy array where the other one is and in its format, or in its own if `exact`."""
        return array if exact else array.astype(other.dtype, copy=False)

    def joined(self, parts: list[Any]) -> Any:
        """One below the other."""
        return np.concatenate(parts)

    def transposed(self, array: Any) -> Any:
        """(columns, rows), lying in this order."""
        return np.ascontiguousarray(array.T)

    def product(self, left: Any, right: Any, out: Any) -> None:
        """The matrix product, in `out`."""
        np.matmul(left, right, out=out)

    def at_least(self, array: Any, least: float) -> None:
        """In place; NaN stays."""
        np.maximum(array, least, out=array)

    def tanh(self, array: Any) -> None:
        """In place."""
        np.tanh(array, out=array)

    def exp2(self, array: Any) -> None:
        """In place."""
        np.exp2(array, out=array)

    def summed(self, array: Any) -> Any:
        """(columns,) float64 the sums over the rows."""
        return array.sum(0, dtype=np.float64)

    def of_segments(self, array: Any, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(segments, columns) each: the sums of the rows between two edges, and their maxima."""
        return np.add.reduceat(array, edges[:-1], axis=0), np.maximum.reduceat(array, edges[:-1], axis=0)

    def running(self, array: Any) -> Any:
        """(rows, columns) float64 the sums of the rows so far."""
        return np.cumsum(array, 0, dtype=np.float64)

    def products(self, left: Any, right: Any, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """(cells,) float64 single cells of left right^T."""
        return np.einsum("cd,cd->c", left[rows].astype(np.float64), right[columns].astype(np.float64))

    def to_numpy(self, array: Any) -> np.ndarray:
        """The same numbers as an array of NumPy."""
        return np.asarray(array)


class TorchArrays:
    """Arrays of PyTorch, on whatever device."""

    def __init__(self) -> None:
        self._torch: Any = sys.modules["torch"]

    def empty(self, shape: tuple[int, ...], like: Any) -> Any:
        """See `NumPyArrays`."""
        return like.new_empty(shape)

    def zeros(self, shape: tuple[int, ...], like: Any, *, double: bool = False) -> Any:
        """See `NumPyArrays`."""
        return like.new_zeros(shape, dtype=self._torch.float64 if double else like.dtype)

    def like(self, array: np.ndarray, other: Any, *, exact: bool = False) -> Any:
        """See `NumPyArrays`."""
        tensor = self._torch.from_numpy(np.ascontiguousarray(array)).to(other.device)
        return tensor if exact else tensor.to(other.dtype)

    def joined(self, parts: list[Any]) -> Any:
        """See `NumPyArrays`."""
        return self._torch.cat(parts)

    def transposed(self, array: Any) -> Any:
        """See `NumPyArrays`."""
        return array.t().contiguous()

    def product(self, left: Any, right: Any, out: Any) -> None:
        """See `NumPyArrays`."""
        self._torch.mm(left, right, out=out)

    def at_least(self, array: Any, least: float) -> None:
        """See `NumPyArrays`."""
        array.clamp_(min=least)

    def tanh(self, array: Any) -> None:
        """See `NumPyArrays`."""
        array.tanh_()

    def exp2(self, array: Any) -> None:
        """See `NumPyArrays`."""
        array.exp2_()

    def summed(self, array: Any) -> Any:
        """See `NumPyArrays`."""
        return array.sum(0, dtype=self._torch.float64)

    def of_segments(self, array: Any, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """See `NumPyArrays`."""
        parts = [array[low:high] for low, high in pairwise(edges.tolist())]
        sums = self._torch.stack([part.sum(0) for part in parts])
        return self.to_numpy(sums), self.to_numpy(self._torch.stack([part.amax(0) for part in parts]))

    def running(self, array: Any) -> Any:
        """See `NumPyArrays`."""
        return array.cumsum(0, dtype=self._torch.float64)

    def products(self, left: Any, right: Any, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """See `NumPyArrays`."""
        row, column = (self.like(np.asarray(one, np.int64), left, exact=True) for one in (rows, columns))
        found = self._torch.einsum("cd,cd->c", left[row].double(), right[column].double())
        return self.to_numpy(found.double())

    def to_numpy(self, array: Any) -> np.ndarray:
        """See `NumPyArrays`."""
        return np.asarray(array.cpu().numpy())


def library(array: Any) -> NumPyArrays | TorchArrays:
    """The functions for arrays like this one."""
    return NumPyArrays() if isinstance(array, np.ndarray) else TorchArrays()
