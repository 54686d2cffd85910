"""The arrays in an object, wherever it keeps them, by their paths."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearhead.sources.function.answer import Trouble
from clearhead.sources.function.libraries import array
from clearhead.sources.function.reading import numbers

DEEPEST = 6
"""Objects in objects in objects ... that are looked into."""
PRIVATE = ("_buffers", "_non_persistent_buffers_set", "_parameters", "_modules")
COMPILED = "_orig_mod"
"""Where `torch.compile` keeps the module it was given: its arrays have the same paths as there."""
OPAQUE = (str, bytes, int, float, complex, bool, type, types.ModuleType, types.FunctionType, types.MethodType)


@dataclass(frozen=True)
class Found:
    """One array in an object.

    Attributes:
        path: "attn.q_proj.weight".
        holder: the object, mapping or list it lies in.
        key: by what it is found there.
    """

    path: str
    holder: Any
    key: Any

    @property
    def value(self) -> Any:
        """The array as it is now."""
        return _inside(self.holder)[self.key]

    def numbers(self) -> np.ndarray:
        """As float64."""
        return numbers(self.value, self.path)[0]

    def put(self, values: np.ndarray, dtype: str, device: Any) -> None:
        """Other numbers in its place; in the same array where its library lets that."""
        now = self.value
        if hasattr(now, "copy_"):  # a tensor of PyTorch
            import torch

            if str(now.dtype).endswith(dtype) or isinstance(now, torch.nn.Parameter):
                with torch.no_grad():
                    now.copy_(torch.as_tensor(np.ascontiguousarray(values)))
                return
            values = array(values, "torch", dtype, now.device)
        elif isinstance(now, np.ndarray):
            if now.flags.writeable:
                now[...] = values
                return
            values = array(values, "numpy", now.dtype.name)
        else:
            values = array(values, "jax", dtype)
        if isinstance(self.holder, dict | list):
            self.holder[self.key] = values
        else:
            object.__setattr__(self.holder, self.key, values)

    def order(self) -> str:
        """How a matrix there lies, as far as its place tells; see `lying.ORDERS`."""
        kind, last = type(self.holder), self.path.rpartition(".")[2].lower()
        if self.value.ndim == 3:
            return "by head"
        if kind.__name__ == "Conv1D" or last == "kernel":
            return "in, out"
        linear = last == "weight" and hasattr(self.holder, "_parameters")
        return "out, in" if linear or last.endswith("_weight") else "in, out"


def arrays_in(owner: Any) -> dict[str, Found]:
    """All arrays of floating-point numbers in an object, each once; buffers of a module are none of its weights.

    Raises:
        Trouble: one has no size yet.
    """
    found: dict[str, Found] = {}
    seen: set[int] = set()
    for one in _walk(owner, "", seen, DEEPEST):
        found.setdefault(one.path, one)
    return found


def _walk(holder: Any, path: str, seen: set[int], deeper: int) -> Iterator[Found]:
    if id(holder) in seen or not deeper:
        return
    seen.add(id(holder))
    inside = _inside(holder)
    for key, value in inside.items() if isinstance(inside, dict) else enumerate(inside):
        name = path if key == COMPILED else f"{path}.{key}" if path else str(key)
        if _is_lazy(value):
            raise Trouble(
                "telling",
                f"its {name} has no size yet, as that of a lazy layer before its first call; expected it called once "
                "before it is checked",
            )
        if _is_array(value):
            if id(value) not in seen and value.ndim:
                seen.add(id(value))
                yield Found(name, holder, key)
        elif value is not None and not isinstance(value, OPAQUE) and key not in PRIVATE:
            yield from _walk(value, name, seen, deeper - 1)


def _inside(holder: Any) -> Any:
    """What an object holds, by name or by place."""
    if isinstance(holder, dict | list | tuple):
        return holder
    parts = dict(getattr(holder, "__dict__", {}))
    parts |= {one: getattr(holder, one) for one in _slots(holder) if hasattr(holder, one)}
    if hasattr(holder, "named_parameters"):  # of a PyTorch module; its own order is that of their making
        parts |= dict(holder.named_parameters(recurse=False)) | dict(holder.named_children())
    return parts


def _slots(holder: Any) -> tuple[str, ...]:
    named = getattr(type(holder), "__slots__", ())
    return (named,) if isinstance(named, str) else tuple(named)


def _is_lazy(value: Any) -> bool:
    """Whether it is a parameter of PyTorch whose size its first input decides: it cannot be asked for it."""
    torch = sys.modules.get("torch")
    return torch is not None and bool(torch.nn.parameter.is_lazy(value))


def _is_array(value: Any) -> bool:
    return (
        hasattr(value, "dtype")
        and hasattr(value, "shape")
        and hasattr(value, "ndim")
        and "float" in str(value.dtype)
    )
