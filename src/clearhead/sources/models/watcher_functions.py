"""The functions of PyTorch that are followed, by the name they have in every form: torch.mul, Tensor.mul, `*`, `*=`."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import torch

from clearhead.sources.models.watcher_graph import DROPOUT, EXP, NUMBER, PUT, SOFTMAX, VIEW

Function = Callable[..., Any]

MULTIPLIED = {"matmul", "rmatmul", "bmm", "mm", "einsum", "baddbmm"}
"""Products of two tensors."""

MOVED = (
    "view reshape view_as reshape_as transpose permute swapaxes swapdims movedim moveaxis squeeze unsqueeze expand "
    "expand_as getitem narrow select flatten unflatten t T mT chunk split tensor_split unbind gather index_select "
    "take_along_dim repeat repeat_interleave flip diagonal roll rot90 contiguous clone detach to type type_as float "
    "half bfloat16 double alias unfold"
)
COMPUTED = (
    "mul rmul imul multiply div rdiv truediv rtruediv itruediv true_divide divide idiv add radd iadd sub rsub isub "
    "subtract neg negative masked_fill where clamp clip clamp_min clamp_max max min maximum minimum tanh nan_to_num "
    "addcmul abs square pow masked_scatter tril triu"
)
ASSEMBLED = (
    "cat concat concatenate stack hstack vstack pad setitem index_put index_copy index_add scatter scatter_add "
    "as_strided"
)

KINDS = {
    **dict.fromkeys(MOVED.split(), VIEW),
    **dict.fromkeys(COMPUTED.split(), NUMBER),
    **dict.fromkeys(ASSEMBLED.split(), PUT),
    **dict.fromkeys(("dropout", "dropout1d", "feature_dropout"), DROPOUT),
    "softmax": SOFTMAX,
    **dict.fromkeys(("exp", "logsumexp"), EXP),
}
"""What each function does to the cells of a tensor."""

CASTS = {"to", "type", "type_as", "float", "half", "bfloat16", "double"}
"""What changes the format alone: everything is worked out again in float64."""


TIMES = {"mul", "rmul", "imul", "multiply"}
OVER = {"div", "truediv", "itruediv", "true_divide", "divide"}
"""Multiplication and division, the tensor first."""


def factor_of(name: str, args: tuple[Any, ...]) -> float | None:
    """The number that a call multiplies a tensor with, if it does that alone."""
    if name not in TIMES | OVER or len(args) != 2 or not isinstance(args[0], torch.Tensor):
        return None
    other = args[1]
    if isinstance(other, torch.Tensor):
        if other.ndim or other.device.type != "cpu" or not args[0].ndim:
            return None
        other = other.item()
    if type(other) not in (int, float) or not other:
        return None
    return float(other) if name in TIMES else 1 / other


@lru_cache(maxsize=1024)  # asked at every call of the same few functions
def name_of(function: Any) -> str:
    """The bare name: "add" for torch.add, Tensor.add_, `+` and `+=`; "" for what has none."""
    name = getattr(function, "__name__", "")
    if name == "__get__":
        name = getattr(getattr(function, "__self__", None), "__name__", "")
    if name.startswith("__") and name.endswith("__"):
        return str(name.strip("_"))
    return str(name.rstrip("_"))


def in_place(function: Any) -> bool:
    """Whether the function writes over its first argument."""
    name = getattr(function, "__name__", "")
    if name.startswith("__"):
        return name in ("__iadd__", "__isub__", "__imul__", "__idiv__", "__itruediv__", "__setitem__")
    return bool(name.endswith("_"))


def again(function: Function, result: Any) -> Function:
    """What computes a step again on other numbers, whatever format and layout they have, writing over nothing."""
    name = name_of(function)
    if name in CASTS:
        return lambda tensor, *_, **__: tensor
    if name == "view":
        return lambda tensor, *shape: tensor.reshape(*shape)
    if name.endswith("_as"):
        shape = result.shape
        return lambda tensor: tensor.expand(shape) if name == "expand_as" else tensor.reshape(shape)
    if name == "softmax":
        return _softmax
    if name == "dropout":
        return lambda tensor, *_, **__: tensor
    if name == "setitem":
        return _put
    if in_place(function):
        return lambda tensor, *args, **kwargs: function(tensor.clone(), *args, **kwargs)
    return function


def _softmax(tensor: torch.Tensor, dim: Any = None, *_: Any, **kwargs: Any) -> torch.Tensor:
    return torch.softmax(tensor, kwargs.get("dim", dim))


def _put(tensor: torch.Tensor, place: Any, value: Any) -> torch.Tensor:
    copy = tensor.clone()
    copy[place] = value.to(copy.dtype) if isinstance(value, torch.Tensor) else value
    return copy
