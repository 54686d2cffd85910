"""State dictionaries as JSON and arrays: the way of PyTorch's objects into a checkpoint and back, exactly.

PyTorch's own way is pickle, which runs whatever code a file says. Here numbers, text, lists and dictionaries are JSON,
and each tensor is a named array that the JSON refers to.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from clearhead.trace.recording import RecordingError


def pack(value: Any, place: str, arrays: dict[str, np.ndarray]) -> Any:
    """The value as JSON; its tensors and arrays go into `arrays`, named by their place.

    Arrays may share memory with the tensors they come from, so they are good until the next update.

    Raises:
        RecordingError: something that is neither; the message names its place.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, torch.Tensor):
        arrays[place] = _array(value, place)
        return {"tensor": place, "dtype": _name(value.dtype)}
    if isinstance(value, np.ndarray):
        arrays[place] = value
        return {"array": place}
    if isinstance(value, list | tuple):
        items = [pack(item, f"{place}/{number}", arrays) for number, item in enumerate(value)]
        return items if isinstance(value, list) else {"tuple": items}
    if isinstance(value, Mapping):
        return {
            "items": [[pack(k, place, arrays), pack(v, f"{place}/{k}", arrays)] for k, v in value.items()]
        }
    raise RecordingError(
        f"{place}: a {type(value).__name__} cannot be recorded; expected tensors, numbers, text, lists and dictionaries"
    )


def unpack(packed: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    """The value that was packed. Its tensors are new ones, on the CPU."""
    if isinstance(packed, list):
        return [unpack(item, arrays) for item in packed]
    if not isinstance(packed, dict):
        return packed
    if "float" in packed:
        return float(packed["float"])
    if "tensor" in packed:
        tensor = torch.from_numpy(arrays[packed["tensor"]].copy())
        return tensor.to(getattr(torch, packed["dtype"]))
    if "array" in packed:
        return arrays[packed["array"]].copy()
    if "tuple" in packed:
        return tuple(unpack(packed["tuple"], arrays))
    return {unpack(key, arrays): unpack(value, arrays) for key, value in packed["items"]}


def _array(tensor: torch.Tensor, place: str) -> np.ndarray:
    """The tensor's numbers, exactly; NumPy has no bfloat16, and float32 holds each of its numbers."""
    try:
        tensor = tensor.detach().cpu()
        return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()
    except (
        TypeError,
        RuntimeError,
        NotImplementedError,
    ):  # sparse, quantised, without numbers (meta), float8
        kind = f"{_name(tensor.dtype)} ({_name(tensor.layout)}, {tensor.device})"
        raise RecordingError(
            f"{place}: a tensor of {kind} cannot be recorded; expected a plain one"
        ) from None


def _name(thing: torch.dtype | torch.layout) -> str:
    return str(thing).removeprefix("torch.")
