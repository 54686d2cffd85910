"""Arrays that are kept elsewhere: by PyTorch, on a GPU, in a file. A part is read when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np


class Held(Protocol):
    """An array that can be read in parts. A NumPy array is one."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis."""

    @property
    def dtype(self) -> Any:
        """What `str` makes the name of its numbers' format from, such as "bfloat16"."""

    def __getitem__(self, index: Any, /) -> np.ndarray:
        """A part, in float32 or float64 or whole numbers: exactly the numbers that are held."""


class Widened:
    """A bfloat16 array, which NumPy has no format for, kept as its 16 bits: the upper half of a float32."""

    dtype = "bfloat16"

    def __init__(self, bits: Held) -> None:
        self.bits = bits

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis."""
        return self.bits.shape

    def __getitem__(self, index: Any, /) -> np.ndarray:
        """The numbers as float32, exactly."""
        bits = np.asarray(self.bits[index], dtype=np.uint32) << 16
        return bits.view(np.float32)


EPSILON: Mapping[str, float] = {
    "float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7,
}  # fmt: skip
"""The distance from 1 to the next number of each format (IEEE 754-2019; bfloat16 has 8 significant bits)."""


def precise(held: Held, *index: Any) -> np.ndarray:
    """A part in float64, the format everything is computed in here.

    It lies in the order of its axes, wherever it came from: a product's last bit may depend on that.
    """
    part = np.asarray(held[index], dtype=np.float64)
    return part if part.flags.c_contiguous else part.copy()
