"""Temporary folders that a later process removes if theirs was killed.

A process holds a lock on its folder, which the system lets go when the process ends, however it ends. Whoever gets the
lock of a folder therefore knows that its process is dead, and a folder that is in use is never taken. The folder is
locked after it is made: if another process came between, this one finds it locked or gone, and makes another.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where nothing can be told of a folder that was left
    fcntl = None  # type: ignore[assignment]

PREFIX = "clearhead-in-passing-"
"""How the names of these folders begin, and no others."""

_LOCKS: dict[Path, int] = {}
"""The locks that this process holds, by their folders."""


def passing_folder() -> Path:
    """A new folder for as long as this process lasts, among the system's temporary files.

    Raises:
        OSError: none can be made.
    """
    remove_left()
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        if fcntl is None:
            return folder
        handle = _opened(folder)
        if handle is None:
            continue
        if _locked(handle) is not False and _is_at(handle, folder):
            _LOCKS[folder] = handle
            return folder
        os.close(handle)  # another process took it for one that was left


def remove_passing(folder: Path) -> None:
    """Remove such a folder, whose process this is."""
    shutil.rmtree(folder, ignore_errors=True)
    if (handle := _LOCKS.pop(folder, None)) is not None:
        os.close(handle)


def remove_left() -> None:
    """Remove the folders of processes that are dead."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError), _of_a_dead_process(folder) as dead:
            if dead:
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _of_a_dead_process(folder: Path) -> Iterator[bool]:
    """Whether the process of a folder is certainly dead; it stays locked meanwhile."""
    if fcntl is None:
        yield False
        return
    handle = _opened(folder)
    if handle is None:
        yield False
        return
    try:
        mine = os.fstat(handle).st_uid == os.getuid()
        yield mine and _locked(handle) is True
    finally:
        os.close(handle)


def _opened(folder: Path) -> int | None:
    """A handle of a folder that is one and no link to one; None if it is gone."""
    try:
        return os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
    except FileNotFoundError:
        return None


def _locked(handle: int) -> bool | None:
    """Whether this process has the lock now; None where the file system has no locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _is_at(handle: int, folder: Path) -> bool:
    """Whether what was opened is still there under its name."""
    try:
        return os.path.samestat(os.fstat(handle), folder.stat())
    except FileNotFoundError:
        return False
