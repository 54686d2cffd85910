"""The losses of a training, read from the device in batches, and the first step whose numbers are no longer finite."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch

from clearhead.sources.training.pytorch.ranks import Ranks
from clearhead.trace.recording import RecordingError

READ_TOGETHER = 32
"""A loss on an accelerator, or one to be averaged over ranks, is read with so many others: each reading makes the
process wait for the device and for the other ranks."""

AT_ONCE_ON = ("cpu",)
"""Devices that nobody waits for: a process alone on one reads each loss as it comes."""

Batch = torch.Tensor | Iterable[Any]
"""A tensor, or a list or table of them, however deep."""


def _tensors(batch: Any) -> Iterator[torch.Tensor]:
    """The tensors of a batch, however deep, and one for each number or array of NumPy's that is not finite."""
    if isinstance(batch, torch.Tensor):
        yield batch
    elif isinstance(batch, float) or (isinstance(batch, np.ndarray) and batch.dtype.kind == "f"):
        if not np.isfinite(batch).all():
            yield torch.tensor(math.nan)
    elif isinstance(batch, Mapping):
        yield from _tensors(list(batch.values()))
    elif isinstance(batch, Iterable) and not isinstance(batch, str | bytes | np.ndarray):
        for part in batch:
            yield from _tensors(part)


class Fault(NamedTuple):
    """Where numbers stopped being finite: the step, counted from 1, and what is wrong in words."""

    step: int
    what: str


class Losses:
    """The losses of all steps.

    Attributes:
        read: those that were read so far, as means over the ranks.
    """

    def __init__(self, ranks: Ranks, device: torch.device, read: list[float]) -> None:
        """`device` is the model's; `read` are the losses of the steps before."""
        self._ranks, self._device, self.read = ranks, device, read
        self._waiting: list[tuple[torch.Tensor, torch.Tensor]] = []
        at_once = ranks.count == 1 and device.type in AT_ONCE_ON
        self._together = 1 if at_once else READ_TOGETHER

    def add(self, loss: torch.Tensor | float, batch: Batch) -> None:
        """One more step: its loss, and a batch to look for nan in. Nothing waits for a device.

        Raises:
            RecordingError: the loss is not one number.
        """
        if not isinstance(loss, torch.Tensor):
            try:
                loss = torch.tensor(loss, dtype=torch.float64)
            except (TypeError, ValueError, OverflowError, RuntimeError):
                raise RecordingError(
                    f"loss: expected one number, got {type(loss).__name__} {loss!r:.40}"
                ) from None
        if loss.numel() != 1:
            raise RecordingError(
                f"loss: has shape {tuple(loss.shape)}; expected one number, such as the mean over the batch"
            )
        # A copy, because a captured graph writes the next loss over this one.
        number = loss.detach().reshape(()).to(self._wide(loss.device), copy=True)
        self._waiting.append((number, self._not_finite(batch)))

    @property
    def count(self) -> int:
        """How many there are, read or not."""
        return len(self.read) + len(self._waiting)

    @property
    def are_due(self) -> bool:
        """Whether enough have come together to be read."""
        return len(self._waiting) >= self._together

    def settle(self, unsound: str | None = None) -> Fault | None:
        """Read what is waiting, in all ranks; say where it stops being finite.

        Args:
            unsound: the parameter that this rank found not finite, if any; all ranks are to know.
        """
        losses, doubts = zip(*self._waiting, strict=True) if self._waiting else ((), ())
        flag = torch.tensor(0.0 if unsound is None else 1.0)
        numbers = [number.to(self._device, self._wide(self._device)) for number in (*losses, *doubts, flag)]
        *means, unsound_ranks = self._ranks.means(torch.stack(numbers))
        before, count = len(self.read), len(losses)
        self.read, self._waiting = self.read + means[:count], []
        for number, (loss, doubt) in enumerate(zip(means[:count], means[count:], strict=True), start=1):
            if doubt:
                return Fault(before + number, "the batch holds nan or infinity")
            if not math.isfinite(loss):
                return Fault(before + number, f"the loss is {loss}")
        if unsound_ranks:
            return Fault(before + count, f"{unsound or 'a parameter in another rank'} holds nan or infinity")
        return None

    def _not_finite(self, batch: Batch) -> torch.Tensor:
        """1 if a tensor of the batch holds nan or infinity, else 0; not read yet."""
        floats = [tensor for tensor in _tensors(batch) if tensor.is_floating_point()]
        found = [~torch.isfinite(tensor).all().to(self._device) for tensor in floats]
        return torch.stack(found).any() if found else torch.tensor(0.0)

    @staticmethod
    def _wide(device: torch.device) -> torch.dtype:
        """The widest float of a device; float64 holds every loss exactly."""
        return torch.float32 if device.type == "mps" else torch.float64
