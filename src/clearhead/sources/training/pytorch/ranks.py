"""The processes of one training: alone, or as many as torch.distributed runs, whoever started them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import torch
import torch.distributed as dist

from clearhead.trace.recording import RecordingError

Result = TypeVar("Result")


class Ranks:
    """This process among those that train together. Every method is called by all of them, at the same moment.

    Attributes:
        count: how many there are.
        own: the number of this one; rank 0 reads and writes.
    """

    def __init__(self, device: torch.device) -> None:
        """`device` is one that the processes can talk over: the model's."""
        self._device = device
        running = dist.is_available() and dist.is_initialized()
        self.count = dist.get_world_size() if running else 1
        self.own = dist.get_rank() if running else 0
        planned = os.environ.get("WORLD_SIZE", "1")
        if not running and planned not in ("", "1"):
            raise RecordingError(
                f"WORLD_SIZE is {planned}, but the processes do not know each other yet; "
                "expected torch.distributed.init_process_group() before record_training()"
            )

    def from_first(self, work: Callable[[], Result]) -> Result:
        """Let rank 0 alone do the work; every rank gets its result, or the exception that it raised."""
        if self.count == 1:
            return work()
        outcome: list[Any] = [None, None]
        if self.own == 0:
            try:
                outcome[0] = work()
            except Exception as error:
                outcome[1] = error
        dist.broadcast_object_list(outcome, src=0, device=self._device)
        if outcome[1] is not None:
            raise outcome[1]
        return outcome[0]

    def means(self, numbers: torch.Tensor) -> list[float]:
        """The mean over the ranks of each of these numbers; nan in one rank is nan in all."""
        if self.count > 1:
            numbers = numbers.to(self._device)
            dist.all_reduce(numbers)
            numbers = numbers / self.count
        return numbers.tolist()

    def gathered(self, value: Any) -> list[Any]:
        """The values of all ranks, in order."""
        values = [value]
        if self.count > 1:
            values *= self.count
            dist.all_gather_object(values, value)
        return values
