"""PyTorch tensors as arrays that are read in parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

READABLE = (torch.float64, torch.float32, torch.float16)


class HeldTensor:
    """A tensor where it is, on whatever device; a part comes over when it is asked for."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor.detach()

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis."""
        return tuple(self.tensor.shape)

    @property
    def dtype(self) -> str:
        """The name of the format, such as "bfloat16"."""
        return dtype_name(self.tensor.dtype)

    def __getitem__(self, index: Any, /) -> np.ndarray:
        """A part, exactly; bfloat16, which NumPy lacks, as float32."""
        part = self.tensor[index]
        return part.to("cpu", part.dtype if part.dtype in READABLE else torch.float32).numpy()


def version_of(tensor: torch.Tensor) -> int:
    """How often a tensor has been written to; 0 for one made in `torch.inference_mode`, which does not count it."""
    return 0 if tensor.is_inference() else int(tensor._version)


def dtype_name(dtype: torch.dtype) -> str:
    """The format as NumPy writes it: float32 and not torch.float32."""
    return str(dtype).removeprefix("torch.")
