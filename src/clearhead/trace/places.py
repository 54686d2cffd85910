"""Places that files are to be written to: what cannot be written is refused before the work, and not after it."""

from __future__ import annotations

import os
from pathlib import Path

from clearhead.trace.frames import PART


def file_place(path: str | Path) -> Path:
    """The whole path of a file that can be written: "~" is the person's own folder, and links are followed.

    What is there stays as it is. Whether a folder takes a new file is tried, as no system says it beforehand.

    Raises:
        TypeError: it is no path.
        OSError: no file can be written there; its text is one sentence, and names the path as it was given.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path: expected the path of a file to write, got {path!r}")
    if not str(path).strip():
        raise FileNotFoundError(f"path: expected the path of a file to write, got {str(path)!r}")
    if str(path).endswith(("/", os.sep)):  # which Path would leave out
        raise IsADirectoryError(f"{path}: is a folder; expected the path of a file to write")
    try:
        place = Path(path).expanduser().resolve()
        if place.is_dir():
            raise IsADirectoryError(f"{path}: is a folder; expected the path of a file to write")
        if place.exists() and not place.is_file():
            raise OSError(f"{path}: is no file; expected the path of a file to write")
        if not place.parent.is_dir():
            folder = str(Path(path).parent)
            raise FileNotFoundError(f"{path}: there is no folder {folder!r} to write it into")
    except OSError as error:
        if error.errno is None:  # a sentence already
            raise
        raise type(error)(f"{path}: cannot be written ({_reason(error)}); expected another place") from None
    except (ValueError, RuntimeError) as error:  # no file is called so, or nobody has that ~
        raise OSError(f"{str(path)!r}: is no path ({error}); expected the path of a file to write") from None
    try_folder(place.parent, str(path))
    return place


def try_folder(folder: Path, where: str) -> None:
    """Refuse a folder in which nothing can be made; `where` is what the message is about.

    Raises:
        OSError: its text is one sentence.
    """
    trial = folder / f".clearhead.{os.getpid()}{PART}"
    try:
        trial.open("xb").close()
        trial.unlink()
    except FileExistsError:  # another thread of this process tries it just now
        return
    except OSError as error:
        raise type(error)(
            f"{where}: nothing can be written into the folder {str(folder)!r} ({_reason(error)}); "
            "expected another place"
        ) from None


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
