"""Whether a module can be captured as it stands, said before anything runs."""

from __future__ import annotations

import inspect
from typing import Any

import torch

from clearhead.sources.models.failing import CaptureError

WRAPPERS = ("DataParallel", "DistributedDataParallel")
"""Classes of PyTorch that hold the model as `module` and only hand its calls on."""

LISTED = 3
"""Names that are listed as examples."""


def usable(model: Any) -> tuple[torch.nn.Module, tuple[str, ...]]:
    """The model itself, and what a reader has to know about its state.

    Raises:
        CaptureError: it cannot be captured as it stands; the message says what is expected.
    """
    if not isinstance(model, torch.nn.Module):
        raise CaptureError(
            f"model: expected a torch.nn.Module or what load_model() gives, got {type(model).__name__}"
        )
    notes = []
    if type(model).__name__ in WRAPPERS:
        notes.append(f"the model inside {type(model).__name__} was captured, on one device")
        model = model.module
    assert isinstance(model, torch.nn.Module)  # what these wrappers hold
    _refuse_compiled(model)
    _refuse_elsewhere(model)
    return model, (*notes, *_training(model), *_quantised(model))


def _refuse_compiled(model: torch.nn.Module) -> None:
    """Compiled code has no functions left in it that could be stood in for."""
    for name, module in model.named_modules():
        where = f"{type(model).__name__}{f'.{name}' if name else ''}"
        if hasattr(module, "_orig_mod"):
            raise CaptureError(
                f"model: {where} is compiled by torch.compile, which hides its attention; expected the original, "
                "which it holds as _orig_mod"
            )
        if hasattr(module.forward, "_torchdynamo_orig_callable"):
            raise CaptureError(
                f"model: the forward of {where} is compiled by torch.compile, which hides its attention; expected the "
                "original function"
            )
        if getattr(module, "_compiled_call_impl", None) is not None:
            raise CaptureError(
                f"model: {where} was compiled by its compile(), which hides its attention; expected a model that was "
                "not"
            )
        if isinstance(module, torch.jit.ScriptModule):
            raise CaptureError(
                f"model: {where} is a TorchScript module, which hides its attention; expected the Python module"
            )


def _refuse_elsewhere(model: torch.nn.Module) -> None:
    """Parameters that have no numbers here."""
    for name, parameter in model.named_parameters():
        if parameter.is_meta:
            raise CaptureError(
                f"model: {name} is on the device 'meta', so it has no numbers; expected a model with its weights loaded"
            )
        if type(parameter.data).__name__ == "DTensor" or hasattr(parameter, "_is_flat_param"):
            raise CaptureError(
                f"model: {name} is spread over several processes (FSDP); expected a model that is here as a whole"
            )


def _training(model: torch.nn.Module) -> tuple[str, ...]:
    dropping = (
        one for one in model.modules() if isinstance(one, torch.nn.modules.dropout._DropoutNd) and one.p
    )
    if not model.training and not any(one.training for one in dropping):
        return ()
    return (
        "the model was in training mode, where any dropout is on: expected model.eval() for what it computes in use",
    )


def _quantised(model: torch.nn.Module) -> tuple[str, ...]:
    kinds = sorted({str(module._get_name()) for module in model.modules() if _whole_numbers(module)})  # type: ignore[no-untyped-call]
    if not kinds:
        return ()
    return (
        f"its weights are quantised ({', '.join(kinds[:LISTED])}): attention itself is computed unquantised",
    )


def _whole_numbers(module: torch.nn.Module) -> bool:
    """Whether a linear layer keeps its weights as whole numbers."""
    named = "linear" in type(module).__name__.lower() and hasattr(module, "in_features")
    if not named and not isinstance(module, torch.nn.Linear):
        return False
    own = [*module.parameters(recurse=False), *module.buffers(recurse=False)]
    packed = hasattr(module, "_packed_params") or callable(getattr(module, "weight", None))
    return packed or any(one.ndim > 1 and not one.is_floating_point() for one in own)


def accepts(model: torch.nn.Module, name: str) -> bool:
    """Whether the model's forward has an argument of that name, also inside what only hands its calls on (PEFT's)."""
    parameters = inspect.signature(model.forward).parameters
    if name in parameters:
        return True
    inner = getattr(model, "get_base_model", None)
    if callable(inner) and isinstance(base := inner(), torch.nn.Module) and base is not model:
        return accepts(base, name)
    return False


def takes_anything(model: torch.nn.Module) -> bool:
    """Whether the model's forward takes arguments of any name."""
    kinds = (one.kind for one in inspect.signature(model.forward).parameters.values())
    return inspect.Parameter.VAR_KEYWORD in kinds


def device_of(model: torch.nn.Module) -> torch.device:
    """Where a model expects what it is given; the CPU if it has no parameters."""
    return next((one.device for one in (*model.parameters(), *model.buffers())), torch.device("cpu"))


def dtype_of(model: torch.nn.Module) -> torch.dtype:
    """The format a model computes in: that of its first parameter that is no whole number."""
    kinds = (one.dtype for one in model.parameters() if one.is_floating_point())
    return next(kinds, torch.get_default_dtype())


def setting(config: Any, *names: str) -> Any:
    """The first of a configuration's settings that is there and not None."""
    for name in names:
        try:
            value = config.get(name) if isinstance(config, dict) else getattr(config, name, None)
        except (
            Exception
        ):  # some configurations refuse what differs from layer to layer with an error of their own
            continue
        if value is not None:
            return value
    return None
