"""A row's model run plainly, run again while it is captured, and what is then not as it was."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
import transformers
from torch import nn

from .row import Tiny


@dataclass(frozen=True)
class Observed:
    """One row's model, captured.

    Attributes:
        tiny: The row.
        model: Its model.
        plain: What a plain forward returns, every tensor in it.
        again: The same of the forward that was captured.
        capture: The capture, or None if it was refused.
        refusal: What was raised instead of a capture, or None.
        changed: What differs in the model or its libraries after the capture, by name.
    """

    tiny: Tiny
    model: nn.Module
    plain: list[torch.Tensor]
    again: list[torch.Tensor]
    capture: Any
    refusal: Exception | None = None
    changed: list[str] = field(default_factory=list)


def observe(model: nn.Module, tiny: Tiny, dtype: torch.dtype = torch.float32) -> Observed:
    """Run the row's inputs through the model, plainly and captured.

    Both runs draw the same numbers, as some families draw at random even when they are evaluated.
    """
    from clearhead.sources.models.capture import capture
    from clearhead.sources.models.failing import CaptureError

    returned: list[Any] = []
    hook = model.register_forward_hook(lambda _module, _given, result: returned.append(result))
    captured, refusal = None, None
    try:
        with torch.no_grad(), drawing_the_same():
            model(**given(tiny, dtype))
        before = setting(model)
        with drawing_the_same():
            try:
                captured = capture(model, inputs=given(tiny, dtype))
            except CaptureError as error:
                refusal = error
        after = setting(model)
    finally:
        hook.remove()
    plain, again = (list(tensors(result)) for result in [*returned, None][:2])
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return Observed(tiny, model, plain, again, captured, refusal, changed)


class drawing_the_same:
    """Numbers that are drawn in here are always the same."""

    def __enter__(self) -> None:
        self._fork = torch.random.fork_rng(devices=[])
        self._fork.__enter__()
        torch.manual_seed(0)

    def __exit__(self, *error: Any) -> None:
        self._fork.__exit__(*error)


def given(tiny: Tiny, dtype: torch.dtype = torch.float32) -> dict[str, Any]:
    """The row's inputs, pictures and sounds in the model's own format."""
    return {
        name: value.to(dtype) if isinstance(value, torch.Tensor) and value.is_floating_point() else value
        for name, value in tiny.inputs().items()
    }


def tensors(result: Any) -> Iterator[torch.Tensor]:
    """Every tensor that a forward returned, however deep it lies."""
    if isinstance(result, torch.Tensor):
        yield result
    elif isinstance(result, dict):
        yield from (one for value in result.values() for one in tensors(value))
    elif isinstance(result, list | tuple):
        yield from (one for value in result for one in tensors(value))


def setting(model: nn.Module) -> dict[str, Any]:
    """All that a capture could leave changed: values as they are, functions and hooks by who they are."""
    return dict(_of_the_model(model)) | dict(_of_libraries(model))


def _of_the_model(model: nn.Module) -> Iterator[tuple[str, Any]]:
    for name, module in model.named_modules():
        yield f"{name}.training", module.training
        yield (
            f"{name}: functions of its own",
            {key: id(value) for key, value in vars(module).items() if callable(value)},
        )
        for kind in ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks"):
            yield f"{name}.{kind}", [id(hook) for hook in getattr(module, kind).values()]
        for where, config in _configs(getattr(module, "config", None)):
            yield f"{name}.config{where}", getattr(config, "_attn_implementation", None)
    for name, parameter in model.named_parameters():
        yield f"{name}: written to", parameter._version


def _configs(config: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """A configuration and those inside it."""
    if config is None:
        return
    yield where, config
    for name, value in vars(config).items():
        if isinstance(value, transformers.PretrainedConfig):
            yield from _configs(value, f"{where}.{name}")


def _of_libraries(model: nn.Module) -> Iterator[tuple[str, Any]]:
    registry = transformers.modeling_utils.ALL_ATTENTION_FUNCTIONS
    yield "registry", {name: id(registry[name]) for name in registry}
    yield "registry: entries of its own", dict(registry._local_mapping)
    files = {cls.__module__ for module in model.modules() for cls in type(module).__mro__}
    for file in files & sys.modules.keys():
        if file.startswith("transformers."):
            functions = {
                name: id(value) for name, value in vars(sys.modules[file]).items() if callable(value)
            }
            yield file, functions
    for owner in (torch, torch.nn.functional, torch.Tensor):
        yield (
            f"{owner.__name__}: functions",
            {name: id(value) for name, value in vars(owner).items() if callable(value)},
        )
    yield "torch: nn.MultiheadAttention's fast path", torch.backends.mha.get_fastpath_enabled()
    yield "torch: gradients", torch.is_grad_enabled()
    yield "torch: function modes", len(torch.overrides._get_current_function_mode_stack())
