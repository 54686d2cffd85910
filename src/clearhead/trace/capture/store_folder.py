"""The folder of a store: which files are its own, whether a run may have it, and that no two have it at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clearhead.trace.capture.failing import CaptureError
from clearhead.trace.frames import PART

try:
    import fcntl
except ImportError:  # Windows, which has no such locks: there two runs are not kept apart
    fcntl = None  # type: ignore[assignment]

ABOUT = "about.json"
"""What was run; there before the first layer."""

CAPTURE = "capture.safetensors"
"""What puts the layers together; there after the last."""

LAYERS = "layer-*.safetensors"


def file_of(folder: Path, number: int) -> Path:
    """The file of a layer, by the order in which they ran."""
    return folder / f"layer-{number:04}.safetensors"


def kept_in(folder: str | Path) -> int:
    """How many layers are there."""
    try:
        return sum(1 for _ in Path(folder).expanduser().glob(LAYERS))
    except OSError:
        return 0


def holds_layers(folder: Path) -> bool:
    """Whether files of a store are there."""
    return next(folder.glob(LAYERS), None) is not None


def check_folder(folder: Path, where: str) -> None:
    """Refuse what no store can be written into; it is looked at, and nothing is made.

    Raises:
        CaptureError: it is no folder, holds other things, or would stand in a folder that is not there.
        OSError: it cannot be looked at.
    """
    if not folder.exists():
        if not folder.absolute().parent.is_dir():
            raise CaptureError(
                f"{where}: there is no such folder to stand in; expected a place in one that is there"
            )
        return
    if not folder.is_dir():
        raise CaptureError(f"{where}: is no folder; expected one for a store: new, empty or to go on with")
    others = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    if others and not (folder / ABOUT).exists():
        if holds_layers(folder):
            raise CaptureError(
                f"{where}: holds layers of a store, but its {ABOUT} is missing; expected it back, or another folder"
            )
        raise CaptureError(
            f"{where}: holds other things, such as {others[0]}; expected a new or empty folder for a store"
        )


@contextmanager
def locked(folder: Path, where: str) -> Iterator[None]:
    """This run has the folder for itself; what one that was killed left half-written is removed.

    Raises:
        CaptureError: another run has it.
    """
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CaptureError(
                f"{where}: another run is writing into this folder; expected another one"
            ) from None
        except OSError:  # a file system without locks
            pass
        for left in folder.glob(f".*{PART}"):
            left.unlink(missing_ok=True)
        yield
    finally:
        os.close(handle)
