"""Whether the numbers of a run follow from what is known before it, so that one that was kept need not be run again."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

import torch
from torch.nn.modules import module as hooks_of_all

from clearhead.sources.models.spill_made_of import digest_of, digest_of_words

KNOWN = ("torch", "transformers", "builtins")
"""The packages whose code is known by their versions, which a store is made of."""

HOOKS = ("_forward_hooks", "_forward_pre_hooks")
HOOKS_OF_ALL = tuple(f"_global{name}" for name in HOOKS)
PARTS = ("_parameters", "_buffers", "_modules")
"""What modules hold and `made_of` has a digest of."""

PLAIN = (bool, int, float, complex, str, type(None), torch.dtype, torch.device, torch.Size, Enum)


class Untold(Exception):
    """Something of the model is not known by anything that could be compared."""


def follows_from(model: torch.nn.Module, made_of: Mapping[str, Any]) -> str | None:
    """A digest of all that a run's numbers follow from; None where it does not say all.

    It does where only code of PyTorch and transformers runs, nothing hooks into it, and nothing is left to chance.
    Code of one's own, and whatever stands in for theirs, may be another one the next time under the same name.

    Args:
        model: what is run, with its inputs ready.
        made_of: what the store is made of.
    """
    if any(getattr(hooks_of_all, name, None) for name in HOOKS_OF_ALL):
        return None
    try:
        parts = {name: _of_module(module) for name, module in model.named_modules()}
        kernel = [_of_kernel(str(made_of["kernel"])), *sorted(_of_eager(model))]
    except Untold:
        return None
    settings = [
        str(torch.get_default_dtype()), torch.get_float32_matmul_precision(), torch.is_autocast_enabled(),
        torch.is_autocast_enabled("cpu"),
    ]  # fmt: skip
    return digest_of_words(json.dumps([made_of, parts, kernel, settings], sort_keys=True))


def _of_module(module: torch.nn.Module) -> list[Any]:
    """One module without those in it: its class, and what it holds beside parameters."""
    if module.training or any(getattr(module, name, None) for name in HOOKS):
        raise Untold
    held = vars(module)
    if "forward" in held:
        raise Untold
    code = [_of_code(type(module)), _of_code(type(module).forward)]
    own = {name: value for name, value in held.items() if name not in PARTS and not name.endswith("_hooks")}
    return [*code, {name: _of_value(value) for name, value in own.items()}]


def _of_code(code: Any) -> str:
    """The name of a class or a function whose code is known."""
    package = str(getattr(code, "__module__", None)).partition(".")[0]
    if package not in KNOWN:
        raise Untold
    return f"{code.__module__}.{getattr(code, '__qualname__', type(code).__name__)}"


def _of_kernel(name: str) -> str:
    """The attention function of that name, which anybody can put another one in the place of."""
    try:
        from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS
    except ImportError:
        return name
    found = ALL_ATTENTION_FUNCTIONS.get(name)
    return name if found is None else _of_code(found)


def _of_eager(model: torch.nn.Module) -> set[str]:
    """The attention functions that stand beside the classes of a model."""
    files = (vars(sys.modules[type(module).__module__]) for module in model.modules())
    return {
        _of_code(names["eager_attention_forward"]) for names in files if "eager_attention_forward" in names
    }


def _of_value(value: Any) -> Any:
    """What an attribute is, as JSON-able data."""
    if isinstance(value, PLAIN):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, torch.Tensor):
        return digest_of({"": value})
    if isinstance(value, list | tuple | set | frozenset | dict):
        return [type(value).__name__, *(_of_value(one) for one in _members(value))]
    if isinstance(value, torch.nn.Module):
        return "module"  # those that are registered are gone through
    if callable(getattr(value, "to_dict", None)):  # a configuration
        return {str(key): str(one) for key, one in value.to_dict().items() if key != "_name_or_path"}
    return _of_code(value if callable(value) else type(value))


def _members(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield from (key, one)
    else:
        yield from (sorted(value, key=repr) if isinstance(value, set | frozenset) else value)
