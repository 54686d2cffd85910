"""Which module of the model is computing right now, found from the frames of the interpreter: no hook is needed."""

from __future__ import annotations

import sys
from collections.abc import Container
from types import FrameType
from typing import Any

import torch

HEADS = (
    "num_heads",
    "num_attention_heads",
    "n_heads",
    "n_head",
    "nhead",
    "heads",
    "num_head",
    "attention_heads",
    "h",
)
"""How modules call their number of heads."""

FORMS = (
    torch.nn.Transformer,
    torch.nn.TransformerEncoderLayer,
    torch.nn.TransformerDecoderLayer,
    torch.nn.MultiheadAttention,
)
"""Modules of PyTorch that are more than one operation."""


def computing(modules: Container[int]) -> tuple[torch.nn.Module, set[int]] | None:
    """The innermost of these modules (by id) that is computing, and the sizes of what its forward was given.

    A module of PyTorch that is one operation alone, such as nn.Softmax, is passed over.
    """
    frame: FrameType | None = sys._getframe(1)
    found: torch.nn.Module | None = None
    own: Any
    while frame is not None:
        code = frame.f_code
        if code.co_argcount:
            own = frame.f_locals.get(code.co_varnames[0])
            if found is None and isinstance(own, torch.nn.Module) and id(own) in modules and not _alone(own):
                found = own
            if found is not None and own is found and code.co_name == "forward":
                return found, _sizes(frame)
        frame = frame.f_back
    return None if found is None else (found, set())


def _alone(module: torch.nn.Module) -> bool:
    return type(module).__module__.startswith("torch.nn.modules") and not isinstance(module, FORMS)


def _sizes(frame: FrameType) -> set[int]:
    """The sizes of the axes of the tensors that a forward was given, but for the last axis of each."""
    names = frame.f_code.co_varnames[1 : frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount + 1]
    given = [frame.f_locals.get(name) for name in names]
    return {size for one in given if isinstance(one, torch.Tensor) for size in one.shape[:-1]}


def heads_of(module: torch.nn.Module) -> set[int]:
    """The numbers of heads that a module, or its configuration, says it has."""
    holders = [module, getattr(module, "config", None)]
    numbers = [getattr(holder, name, None) for holder in holders for name in HEADS]
    return {number for number in numbers if type(number) is int and number > 0}
