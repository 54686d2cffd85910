"""Which cells of a quantity are made alike, so that a few of them tell of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.core.ops import Add, Contract, Copy, ScaleBy, ScaleByRoot, SoftCap, Softmax
from clearhead.core.ops.base import Operation
from clearhead.core.ops.mask_gradient import Masking
from clearhead.core.ops.soft_cap import BENT_FROM

STILL = (Add, Contract, Copy, Masking, ScaleBy, ScaleByRoot, SoftCap)
"""Operations that make every cell of one kind in the same way, whatever the numbers are."""


@dataclass(frozen=True, eq=False)
class Alike:
    """Cells of one kind are made alike: everywhere or, `by_row`, as far as they stand in one row (along the last axis).

    Attributes:
        kinds: the shape of the array, small whole numbers.
        by_row: each row may be made in a way of its own.
    """

    kinds: np.ndarray
    by_row: bool


def made_alike(operation: Operation, inputs: Sequence[np.ndarray], shape: tuple[int, ...]) -> Alike | None:
    """The kinds of the cells that an operation makes, by their recipes; None: each may be of its own kind.

    Args:
        operation: what makes them.
        inputs: of what.
        shape: that of what is made.
    """
    kinds = operation.hidden(*inputs) if isinstance(operation, Masking) else None
    return _alike(operation, shape, kinds)


def noted_alike(operation: Operation, inputs: Sequence[np.ndarray], shape: tuple[int, ...]) -> Alike | None:
    """The same by what is said of them."""
    if isinstance(operation, Softmax):
        return _alike(operation, shape, np.isneginf(inputs[0]))
    if isinstance(operation, SoftCap):
        return _alike(operation, shape, np.abs(inputs[0]) >= BENT_FROM * operation.cap)
    return made_alike(operation, inputs, shape)


def fed_alike(operation: Operation, slot: int, inputs: Sequence[np.ndarray]) -> Alike | None:
    """The kinds of the cells of an input, by where they go; None: each may be of its own kind."""
    kinds = operation.hidden(*inputs) if isinstance(operation, Masking) and slot == 0 else None
    return _alike(operation, inputs[slot].shape, kinds)


def _alike(operation: Operation, shape: tuple[int, ...], kinds: np.ndarray | None) -> Alike | None:
    by_row = isinstance(operation, Softmax)
    if not shape or 0 in shape or not (by_row or isinstance(operation, STILL)):
        return None
    return Alike(np.zeros(shape, np.uint8) if kinds is None else kinds.astype(np.uint8), by_row)
