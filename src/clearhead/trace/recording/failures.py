"""What can go wrong with a training and its recording; each message is one sentence."""

from __future__ import annotations

import errno
from pathlib import Path


class RecordingError(ValueError):
    """A recording cannot be made or read as asked: what is wrong, where, and what was expected."""


class SavingError(OSError):
    """Something could not be written. `errno` is the system's; what is being trained is untouched in memory.

    Made from the system's error with `saving_error`.
    """

    def __str__(self) -> str:
        return str(self.strerror)


class Diverged(ArithmeticError):
    """The numbers of a training are no longer finite. The last good state is kept in the recording.

    Attributes:
        step: the step whose loss, batch or parameters are not finite; steps count from 1.
        kept: the step after which the last good state was saved.
        losses: of all steps up to this one.
    """

    def __init__(self, message: str, step: int, kept: int, losses: list[float]) -> None:
        super().__init__(message)
        self.step, self.kept, self.losses = step, kept, losses


FULL = ("the disk is full", "room on the disk")
GONE = ("its folder is gone", "the folder to stay where it was")
CLOSED = ("there is no permission to write there", "a folder that can be written to")

REASONS = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: ("the disk quota is used up", FULL[1]),
    errno.EFBIG: ("the file would be larger than is allowed", "a higher limit on the size of files"),
    errno.ENOENT: GONE,
    errno.ENOTDIR: GONE,
    errno.EACCES: CLOSED,
    errno.EPERM: CLOSED,
    errno.EROFS: ("the disk can only be read", CLOSED[1]),
}


def saving_error(error: OSError, what: str, where: Path) -> SavingError:
    """The system's error as one sentence: what could not be saved, where, why, and what was expected."""
    otherwise = (error.strerror or str(error)).lower(), CLOSED[1]
    reason, expected = REASONS.get(error.errno or 0, otherwise)
    return SavingError(
        error.errno,
        f"{where}: {what} could not be saved because {reason}; expected {expected} (nothing in memory is lost)",
    )
