"""The recording of any PyTorch training loop, which stays the person's own. PyTorch is imported with the first use."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearhead.trace.recording import RecordingError

if TYPE_CHECKING:
    import torch

    from clearhead.sources.training.pytorch.parts import Stateful
    from clearhead.sources.training.pytorch.record import TrainingRecord


def record_training(
    model: torch.nn.Module,
    path: str | Path,
    *,
    every: int,
    at: Collection[int] = (),
    optimizer: Stateful | None = None,
    also: Mapping[str, Stateful] | None = None,
    about: Mapping[str, Any] | None = None,
) -> TrainingRecord:
    """Record a PyTorch training: the loss of every step, and at chosen steps all that is needed to look back or go on.

    Use it around the loop, and say after each update that a step is done::

        with ch.record_training(model, "run", every=100, optimizer=optimizer) as record:
            for step in range(record.resume(), 1000):
                ...
                optimizer.step()
                record.step(loss)

    The start is saved, then every `every` steps, then the end. With torch.distributed, call it in every process: rank
    0 writes, the losses are means over the ranks, and all ranks stop together.

    Args:
        model: its parameters and buffers are saved (`state_dict`); it may be wrapped in DistributedDataParallel.
        path: a folder that is new or empty, or that holds a recording to go on with.
        every: save after each so many steps.
        at: further steps to save after, such as the first ones.
        optimizer: saved too; without it a training cannot be resumed with the same numbers.
        also: whatever else has a `state_dict` and a `load_state_dict`: a learning rate scheduler, a gradient scaler,
            a sampler.
        about: what the recording's header should say beside the names and shapes of the parameters, JSON-able.

    Returns:
        The record, to be used with `with`.

    Raises:
        ImportError: PyTorch is not installed.
        RecordingError: `every` or `at` is no whole number, a part has no state, or the model cannot be recorded.
    """
    try:
        from clearhead.sources.training.pytorch.record import TrainingRecord
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        from clearhead.trace.installing import install

        raise ImportError(
            f"recording a PyTorch model needs PyTorch, and it is not installed; expected `{install('models')}` before"
        ) from None
    if about is not None and not isinstance(about, Mapping):
        raise RecordingError(f"about: expected a table, got {type(about).__name__}")
    return TrainingRecord(
        _parts(model, optimizer, also), Path(path).expanduser(), every, _steps(at), dict(about or {})
    )


def _parts(model: Any, optimizer: Any, also: Any) -> dict[str, Any]:
    """What is saved, by name: each has a state that can be taken and put back."""
    if also is not None and not isinstance(also, Mapping):
        raise RecordingError(f"also: expected a table of names and parts, got {type(also).__name__}")
    given = {"model": model, "optimizer": optimizer, **(also or {})}
    parts = {name: part for name, part in given.items() if part is not None}
    for name, part in parts.items():
        if not (hasattr(part, "state_dict") and hasattr(part, "load_state_dict")):
            raise RecordingError(
                f"{name}: expected something with a state_dict and a load_state_dict, got {type(part).__name__}"
            )
    return parts


def _steps(at: Collection[int]) -> frozenset[int]:
    """The further steps, each a whole number from 0."""
    steps: list[Any] = list(at) if isinstance(at, Collection) and not isinstance(at, str | bytes) else [at]
    for step in steps:
        if isinstance(step, bool) or not isinstance(step, int) or step < 0:
            raise RecordingError(f"at: expected whole numbers from 0, got {step!r}")
    return frozenset(steps)
