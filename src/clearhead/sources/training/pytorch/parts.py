"""What a record saves of a training: its parts with state dictionaries, packed, and put back where they were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, cast

import numpy as np
import torch

from clearhead.sources.training.pytorch.tree import pack, unpack
from clearhead.trace.recording import Checkpoint, RecordingError


class Stateful(Protocol):
    """Whatever can say its state and be put back into it, as PyTorch's modules, optimizers and schedulers can."""

    def state_dict(self) -> dict[str, Any]:
        """The state."""

    def load_state_dict(self, state_dict: dict[str, Any], /) -> Any:
        """Be as the state says."""


def bare(model: torch.nn.Module) -> torch.nn.Module:
    """The model without the wrappers of DistributedDataParallel, DataParallel and torch.compile.

    So a recording made by several processes can be read by one, and the other way round.

    Raises:
        RecordingError: its parameters are spread over processes, and none has all of them.
    """
    while True:
        if isinstance(model, torch.nn.parallel.DistributedDataParallel | torch.nn.DataParallel):
            model = model.module
        elif hasattr(model, "_orig_mod"):
            model = cast(torch.nn.Module, model._orig_mod)
        else:
            break
    sharded = [name for name, parameter in model.named_parameters() if hasattr(parameter, "full_tensor")]
    sharded += [name for name, module in model.named_modules() if "FullySharded" in type(module).__name__]
    if sharded:
        raise RecordingError(
            f"model: {sharded[0] or 'it'} is spread over processes; expected whole parameters in each, as with "
            "DistributedDataParallel"
        )
    return model


def not_finite(model: torch.nn.Module) -> str | None:
    """The name of the first parameter that holds nan or infinity, or buffer that holds nan (masks hold −∞)."""
    named: list[tuple[str, torch.Tensor]] = []
    named += [
        (name, torch.isfinite(p).all()) for name, p in model.named_parameters() if p.is_floating_point()
    ]
    named += [(name, ~torch.isnan(b).any()) for name, b in model.named_buffers() if b.is_floating_point()]
    if not named:
        return None
    sound = torch.stack([flag.to(named[0][1].device) for _, flag in named]).tolist()
    return next((name for (name, _), well in zip(named, sound, strict=True) if not well), None)


def packed(parts: Mapping[str, Stateful], randomness: list[Any]) -> tuple[dict[str, np.ndarray], Any]:
    """The parts' states and every rank's generators, as the arrays and the JSON state of a checkpoint."""
    arrays: dict[str, np.ndarray] = {}
    states = {name: pack(part.state_dict(), name, arrays) for name, part in parts.items()}
    return arrays, {"parts": states, "random": pack(randomness, "random", arrays)}


def put_back(parts: Mapping[str, Stateful], checkpoint: Checkpoint, where: str) -> list[Any]:
    """Put the parts where the checkpoint says; return every rank's generators.

    Raises:
        RecordingError: the parts are not those that were recorded.
    """
    recorded = checkpoint.state["parts"]
    if recorded.keys() != parts.keys():
        raise RecordingError(
            f"{where}: was recorded with {', '.join(recorded)}; expected the same, got {', '.join(parts)}"
        )
    states = {name: unpack(state, checkpoint.arrays) for name, state in recorded.items()}
    for difference in _differences(states["model"], parts["model"].state_dict()):
        raise RecordingError(f"{where}: was recorded from another model ({difference})")
    for name, part in parts.items():
        try:
            part.load_state_dict(states[name])
        except (ValueError, LookupError, RuntimeError, TypeError, AttributeError) as error:
            text = " ".join(str(error).split())
            raise RecordingError(f"{where}: the {name} is not the one that was recorded ({text})") from None
    return unpack(checkpoint.state["random"], checkpoint.arrays)


def _differences(recorded: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """What tells two models apart: names, shapes, dtypes."""
    for name in recorded.keys() ^ now.keys():
        yield f"only {'the recorded one' if name in recorded else 'this one'} has {name}"
    for name, tensor in now.items():
        if isinstance(tensor, torch.Tensor):
            old, new = (f"{tuple(t.shape)} of {t.dtype}" for t in (recorded[name], tensor))
            if old != new:
                yield f"{name} was {old} and now is {new}"
