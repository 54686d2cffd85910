"""A training on the disk: a folder with a small JSON header and one file for each step that was saved.

Every file is self-contained, ends with a checksum, and is written beside its place and then moved there. So whatever
interrupts a training, each step that is in the folder is there in full; a file that was damaged later is noticed, named
and passed over for the one before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clearhead.trace.frames import PART, write_whole
from clearhead.trace.recording.checkpoint import Checkpoint, checkpoint_pieces, parse_checkpoint
from clearhead.trace.recording.failures import RecordingError, SavingError, saving_error
from clearhead.trace.shown import Shown

FORMAT, VERSION = "clearhead-recording", 1

HEADER = "recording.json"

CHECKPOINT_NAME = re.compile(r"step-(\d+)\.checkpoint")


class Recording(Shown):
    """A training on the disk. `Recording.create` begins one, `Recording.open` reads one or goes on with it.

    One process writes at a time; any number may read meanwhile.

    Attributes:
        path: its folder.
        header: what was said about the training when it began, as JSON.
    """

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self.path, self.header = path, header
        self._tidy = False

    def __repr__(self) -> str:
        steps = self.steps
        return f"Recording of {len(steps)} steps{f' up to {steps[-1]}' if steps else ''} in {self.path}"

    @classmethod
    def create(cls, path: str | Path, header: Mapping[str, Any]) -> Recording:
        """Begin a recording in a folder that is new or empty.

        Raises:
            RecordingError: the path is a file, or the folder holds something; the header is no JSON.
            SavingError: the folder cannot be made or written to.
        """
        folder = Path(path).expanduser().absolute()
        try:
            content = json.dumps(
                {"format": FORMAT, "version": VERSION, "header": dict(header)}, indent=1, allow_nan=False
            )
        except (TypeError, ValueError, RecursionError) as error:
            raise RecordingError(f"header: cannot be written as JSON ({error})") from None
        try:
            _refuse_what_is_there(folder)
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(folder / HEADER, [content.encode() + b"\n"])
        except (FileNotFoundError, NotADirectoryError) as error:
            raise SavingError(
                error.errno, f"{folder}: no folder can be made there; expected a path inside a folder"
            ) from None
        except OSError as error:
            raise saving_error(error, "a recording", folder) from None
        return cls(folder, json.loads(content)["header"])

    @classmethod
    def open(cls, path: str | Path) -> Recording:
        """A recording that was begun before.

        Raises:
            RecordingError: there is none, its header is damaged, or it comes from a newer version.
        """
        folder = Path(path).expanduser().absolute()
        try:
            content = json.loads((folder / HEADER).read_bytes())
            form, version, header = (content[key] for key in ("format", "version", "header"))
            if form != FORMAT or type(version) is not int or not isinstance(header, dict):
                raise ValueError("it is not in the form of one")
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise RecordingError(
                f"{folder}: no recording can be read here ({HEADER}: {reason}); expected the folder of a recording"
            ) from None
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise RecordingError(
                f"{folder / HEADER}: is no header of a recording, or damaged ({error})"
            ) from None
        if version > VERSION:
            raise RecordingError(
                f"{folder}: recorded by a newer Clearhead (format {version}); this one reads up to {VERSION}"
            )
        return cls(folder, header)

    @classmethod
    def is_in(cls, path: str | Path) -> bool:
        """Whether a recording was begun in this folder."""
        return (Path(path).expanduser() / HEADER).exists()

    @property
    def steps(self) -> list[int]:
        """The steps that were saved, in order. Whether a file is whole is seen when it is read."""
        if not self.path.is_dir():
            return []
        found = (CHECKPOINT_NAME.fullmatch(file.name) for file in self.path.iterdir())
        return sorted(int(match[1]) for match in found if match)

    def save(
        self,
        step: int,
        arrays: Mapping[str, np.ndarray],
        losses: Sequence[float] | np.ndarray,
        state: Any = None,
    ) -> None:
        """Save the training as it is after `step` updates; a step that was saved before is replaced.

        Args:
            step: how many updates were made.
            arrays: named arrays of floats, integers or truth values; each comes back with its dtype, bit for bit.
            losses: all losses so far, kept as float64.
            state: whatever else is needed to go on, JSON-able.

        Raises:
            RecordingError: something that cannot be recorded; the message names it.
            SavingError: it cannot be written. Nothing that was saved before is touched, nothing in memory is
                changed, and saving can be tried again.
        """
        checkpoint = Checkpoint(int(step), arrays, np.asarray(losses, dtype=np.float64), state)
        try:
            if not self._tidy:
                self._remove_parts()
            write_whole(self._file(step), checkpoint_pieces(checkpoint))
        except OSError as error:
            raise saving_error(error, f"step {step}", self.path) from None

    def checkpoint(self, step: int) -> Checkpoint:
        """All that was saved of a step.

        Raises:
            RecordingError: the step was not saved, or its file is damaged; the message names it.
        """
        file = self._file(step)
        try:
            checkpoint = parse_checkpoint(file.read_bytes(), str(file))
        except FileNotFoundError:
            raise RecordingError(
                f"{self.path}: step {step} was not saved; expected {_span(self.steps)}"
            ) from None
        except OSError as error:
            raise RecordingError(
                f"{file}: cannot be read ({(error.strerror or str(error)).lower()})"
            ) from None
        if checkpoint.step != step:
            raise RecordingError(f"{file}: holds step {checkpoint.step}; expected what its name says")
        return checkpoint

    def arrays(self, step: int) -> Mapping[str, np.ndarray]:
        """The arrays of a step, read-only; see `checkpoint`."""
        return self.checkpoint(step).arrays

    def state(self, step: int) -> Any:
        """The state of a step; see `checkpoint`."""
        return self.checkpoint(step).state

    @property
    def losses(self) -> np.ndarray:
        """All losses up to the newest step that can be read, float64 (losses)."""
        newest, _ = self.newest()
        return newest.losses if newest else np.zeros(0)

    def newest(self) -> tuple[Checkpoint | None, list[str]]:
        """The newest step that can be read, and one sentence for each newer one that is damaged.

        The step is None if none can be read.
        """
        damage: list[str] = []
        for step in reversed(self.steps):
            try:
                return self.checkpoint(step), damage
            except RecordingError as error:
                damage.append(str(error))
        return None, damage

    def _file(self, step: int) -> Path:
        return self.path / f"step-{step:08d}.checkpoint"

    def _remove_parts(self) -> None:
        """Remove what a process that was killed had half written; this one is the only one that writes now."""
        for part in self.path.glob(f".*{PART}"):
            part.unlink(missing_ok=True)
        self._tidy = True


def _refuse_what_is_there(folder: Path) -> None:
    """A recording is never mixed with something else, and never begun over another one.

    One of which nothing was saved yet, because its beginning was interrupted, is begun again.
    """
    expected = "expected the path of a new or empty folder"
    if (folder / HEADER).exists() and Recording(folder, {}).steps:
        raise RecordingError(
            f"{folder}: holds a recording already; {expected}, or Recording.open to go on with it"
        )
    if folder.exists() and not folder.is_dir():
        raise RecordingError(f"{folder}: is a file; {expected}")
    if folder.exists():
        names = (file.name for file in folder.iterdir())
        others = sorted(name for name in names if name != HEADER and not name.endswith(PART))
        if others:
            raise RecordingError(f"{folder}: holds other things ({others[0]}); {expected}")


def _span(steps: list[int]) -> str:
    if not steps:
        return "a recording in which something was saved"
    shown = [str(step) for step in (steps if len(steps) < 6 else [*steps[:3], "...", steps[-1]])]
    return f"one of {', '.join(shown)}"
