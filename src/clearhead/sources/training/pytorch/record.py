"""The record of one PyTorch training: what is said to it while the loop runs, and when it saves."""

from __future__ import annotations

import warnings
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

from clearhead.sources.training.pytorch.losses import Batch, Fault, Losses
from clearhead.sources.training.pytorch.parts import Stateful, bare, not_finite, packed, put_back
from clearhead.sources.training.pytorch.randomness import devices_of, generators, set_generators
from clearhead.sources.training.pytorch.ranks import Ranks
from clearhead.trace.recording import Checkpoint, Diverged, Recording, RecordingError, SavingError

KIND = "PyTorch training"
"""What the header of such a recording says it is."""


class Stands(Enum):
    """Where a training stands. Only between two steps is its state that of a step, and can be saved."""

    OUTSIDE = "outside its block"
    NOT_RESUMED = "the folder holds a recording that was not resumed"
    BETWEEN_STEPS = "between two steps"
    WITHIN_STEP = "within a step"
    DIVERGED = "its numbers are no longer finite"


class TrainingRecord:
    """Made by `record_training`, and used with `with` around the loop.

    Leaving the block saves the end. Leaving it by an exception, Control-C included, saves nothing more: the model may
    be half updated, and the last step that was saved is in the folder in full.

    Attributes:
        recording: what is in the folder (None in ranks other than 0).
    """

    def __init__(
        self, parts: dict[str, Any], path: Path, every: int, at: frozenset[int], about: dict[str, Any]
    ) -> None:
        if isinstance(every, bool) or not isinstance(every, int | np.integer) or every < 1:
            raise RecordingError(f"every: expected a whole number of steps from 1, got {every!r}")
        self._model = bare(parts["model"])
        self._parts: dict[str, Stateful] = parts | {"model": self._model}
        self._path, self._every, self._at, self._about = path.absolute(), int(every), at, about
        self._devices = devices_of(self._model)
        device = self._devices[0] if self._devices else torch.device("cpu")
        self._device, self._ranks = device, Ranks(device)
        self._own_parameters = {id(parameter) for parameter in self._model.parameters()}
        self.recording: Recording | None = None
        self._stands, self._saved = Stands.OUTSIDE, 0
        self._losses = Losses(self._ranks, device, [])
        self._randomness = generators(self._devices)

    def __enter__(self) -> Self:
        holds_steps = self._ranks.from_first(self._open)
        self._stands = Stands.NOT_RESUMED if holds_steps else Stands.BETWEEN_STEPS
        if not holds_steps:
            self._save()
        self._hook = register_optimizer_step_pre_hook(self._update_begins)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hook.remove()
        if error is not None or self._stands in (Stands.NOT_RESUMED, Stands.DIVERGED):
            return
        if self._stands is Stands.WITHIN_STEP:
            warnings.warn(
                f"{self._path}: what came after step {self._step} was broken off or not followed by record.step(), and "
                f"is not saved; the last step that is saved is {self._saved}",
                stacklevel=2,
            )
        elif self._saved != self._step:
            self._save()

    @property
    def _step(self) -> int:
        """How many steps are done: as many as there are losses."""
        return self._losses.count

    @property
    def losses(self) -> list[float]:
        """The losses that were read so far: all of them on a CPU, else up to some 30 steps ago."""
        return list(self._losses.read)

    def resume(self) -> int:
        """Put model, optimizer and random numbers back to the newest step that was saved and can be read.

        What comes then is, on the same machine, bit for bit what would have come without the interruption, if the
        batch of a step depends on the step's number or on the random number generators of PyTorch, NumPy or Python.

        Returns:
            The number of steps that are done; 0 at the start.

        Raises:
            RecordingError: no step can be read, or it is not one of these parts.
        """
        if self._stands is Stands.OUTSIDE:
            self._refuse_unless_resumed()
        self._stands = Stands.NOT_RESUMED  # until all of it is put back
        newest = self._ranks.from_first(self._newest)
        randomness = put_back(self._parts, newest, str(self._path))
        self._put_generators_back(randomness)
        self._losses = Losses(self._ranks, self._device, newest.losses.tolist())
        self._saved = newest.step
        self._randomness = generators(self._devices)
        self._stands = Stands.BETWEEN_STEPS
        return self._step

    def step(self, loss: torch.Tensor | float, batch: Batch = ()) -> None:
        """Say that a step is done: after the update, once for each.

        Args:
            loss: of this step, one number. A tensor is not read before it must be.
            batch: the step's tensors, in lists or tables as they come, if a nan in them is to be told from one that
                training made.

        Raises:
            Diverged: a loss, a batch or a parameter is not finite; on an accelerator or with several ranks this is
                noticed up to some 30 steps later, and always before a step is saved.
            RecordingError: the folder holds a recording that was not resumed; the loss is not one number.

        Warns:
            RuntimeWarning: the step was to be saved and could not be. The training goes on, and the next save tries
                again.
        """
        self._refuse_unless_resumed()
        self._stands = Stands.WITHIN_STEP
        self._losses.add(loss, batch)
        self._randomness = generators(self._devices)
        if self._step % self._every == 0 or self._step in self._at:
            try:
                self._save()
            except SavingError as error:
                self._say(f"{error}; the training goes on, and the next save tries again")
        elif self._losses.are_due:
            self._refuse(self._losses.settle())
        self._stands = Stands.BETWEEN_STEPS

    def save(self) -> None:
        """Save now, beside the steps that are saved anyway; between two steps.

        Raises:
            SavingError: it cannot be written; nothing that was saved before, and nothing in memory, is touched.
            Diverged: see `step`.
            RecordingError: an update has begun that record.step() has not followed.
        """
        self._refuse_unless_resumed()
        if self._stands is not Stands.BETWEEN_STEPS:
            raise RecordingError(
                f"{self._path}: an update has begun; expected record.step() before record.save()"
            )
        self._save()

    def _open(self) -> bool:
        """Begin the recording, or open the one that is there; say whether it holds steps. Rank 0 only."""
        if Recording.is_in(self._path):
            self.recording = Recording.open(self._path)
            if self.recording.header.get("kind") != KIND:
                raise RecordingError(f"{self._path}: holds another kind of recording; expected a {KIND}")
        else:
            shapes = {name: list(parameter.shape) for name, parameter in self._model.named_parameters()}
            header = {
                "kind": KIND, "torch": torch.__version__, "ranks": self._ranks.count, "every": self._every,
                "parameters": shapes, "about": self._about,
            }  # fmt: skip
            self.recording = Recording.create(self._path, header)
        return bool(self.recording.steps)

    def _update_begins(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        """Called before any optimizer's step. From here to `step` the model may be half updated."""
        groups = (group["params"] for group in optimizer.param_groups)
        mine = any(id(parameter) in self._own_parameters for group in groups for parameter in group)
        if mine and self._stands is Stands.BETWEEN_STEPS:
            self._stands = Stands.WITHIN_STEP

    def _refuse_unless_resumed(self) -> None:
        if self._stands is Stands.OUTSIDE:
            raise RecordingError("the record is not open; expected `with record_training(...) as record:`")
        if self._stands is Stands.NOT_RESUMED:
            raise RecordingError(
                f"{self._path}: holds a recording already; expected record.resume() before the first step, or the path "
                "of a new folder"
            )
        if self._stands is Stands.DIVERGED:
            raise RecordingError(
                f"{self._path}: the training has diverged; expected record.resume(), which goes back to step "
                f"{self._saved}"
            )

    def _save(self) -> None:
        """Save this step, if all is finite; in all ranks."""
        unsound = not_finite(self._model)
        self._refuse(self._losses.settle(unsound))
        randomness = self._ranks.gathered(self._randomness)
        self._ranks.from_first(lambda: self._write(randomness))
        self._saved = self._step

    def _write(self, randomness: list[Any]) -> None:
        """Rank 0 only."""
        assert self.recording is not None
        arrays, state = packed(self._parts, randomness)
        self.recording.save(self._step, arrays, self._losses.read, state)

    def _refuse(self, fault: Fault | None) -> None:
        """Stop at a fault; every rank comes to the same one."""
        if fault is None:
            return
        if self._step == 0:
            raise RecordingError(f"model: {fault.what} before the first step; expected finite numbers")
        self._stands = Stands.DIVERGED
        raise Diverged(
            f"{self._path}: step {fault.step}: {fault.what}; expected finite numbers, for instance with a smaller "
            f"learning rate; the last good state, that after step {self._saved}, is kept",
            fault.step,
            self._saved,
            self._losses.read[: fault.step],
        )

    def _newest(self) -> Checkpoint:
        """The newest step that can be read. Rank 0 only."""
        assert self.recording is not None
        newest, damage = self.recording.newest()
        if newest is None:
            raise RecordingError(
                f"{self._path}: no step can be read; expected at least one whole file ({damage[0]})"
            )
        for sentence in damage:
            self._say(f"{sentence}; step {newest.step} is taken instead")
        return newest

    def _put_generators_back(self, randomness: list[Any]) -> None:
        same = len(randomness) == self._ranks.count
        if self._ranks.own < len(randomness):
            same &= set_generators(randomness[self._ranks.own], self._devices)
        if not same:
            self._say(
                f"{self._path}: was recorded by another number of processes ({len(randomness)}) or on other devices; "
                "the random numbers will differ from those of an uninterrupted training"
            )

    def _say(self, sentence: str) -> None:
        """Warn once, not once for each rank; the line shown is the one that called the record."""
        if self._ranks.own == 0:
            warnings.warn(sentence, RuntimeWarning, stacklevel=3)
