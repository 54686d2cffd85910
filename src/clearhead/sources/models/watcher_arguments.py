"""What the followed functions of PyTorch are given, read whatever way it was given."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch


def tensors_of(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Iterator[torch.Tensor]:
    """The tensors among the arguments, also those in lists."""
    for one in (*args, *kwargs.values()):
        if isinstance(one, torch.Tensor):
            yield one
        elif type(one) in (tuple, list):
            yield from (part for part in one if isinstance(part, torch.Tensor))


def is_weight(tensor: torch.Tensor) -> bool:
    """Whether it is a weight of the model, or a view of one."""
    return any(isinstance(one, torch.nn.Parameter) for one in (tensor, tensor._base))


def dropped_share(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> float:
    """The share that a dropout drops: torch.dropout(x, p, train) or F.dropout(x, p=0.5, training=True)."""
    share = kwargs.get("p", args[1] if len(args) > 1 else 0.5)
    on = kwargs.get("training", kwargs.get("train", args[2] if len(args) > 2 else True))
    return float(share) if on else 0.0


def opened(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """A copy of a function of PyTorch that does not hand itself over to a mode as a whole, so that its steps are seen.

    Such a function asks `has_torch_function` whether it is to; in the copy that name says no.

    Returns:
        The copy, or None if the function is not written so.
    """
    code = getattr(function, "__code__", None)
    if (
        not isinstance(function, types.FunctionType)
        or code is None
        or "has_torch_function" not in code.co_names
    ):
        return None
    names = {**function.__globals__, "has_torch_function": lambda _: False}
    copy = types.FunctionType(code, names, function.__name__, function.__defaults__, function.__closure__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy
