"""What a store says of the run that it is of, so that no other one goes on with it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from clearhead.trace.capture.failing import CaptureError
from clearhead.trace.capture.sealed import Kind
from clearhead.trace.capture.store_folder import ABOUT, CAPTURE
from clearhead.trace.frames import write_whole

STORE = Kind("clearhead-store", 1, "store")

DIGEST = "blake2b:"
"""How a value begins that stands for what is too long to be said."""


def agree(folder: Path, made_of: Mapping[str, Any], where: str) -> None:
    """The folder is of this run from now on, or was before.

    Raises:
        CaptureError: it is of another; the message names what is not the same.
        OSError: it cannot be written.
    """
    path, mine = folder / ABOUT, json.loads(json.dumps(made_of))
    if not path.exists():
        text = json.dumps({STORE.key: STORE.version, "made of": mine}, ensure_ascii=False, indent=1)
        write_whole(path, [text.encode()])
        return
    theirs = _made_of(path, where)
    if parts := [_unlike(name, theirs.get(name), mine.get(name)) for name in _differing(theirs, mine)]:
        raise CaptureError(
            f"{where}: holds another capture, of which these are not the same: {', '.join(parts)}; expected another "
            "folder, or the same to go on with"
        )


def holds_a_store(folder: Path) -> bool:
    """Whether a folder holds a store, finished or not; one that is finished is read without what it was made of."""
    with suppress(OSError):
        if STORE.begins(folder / CAPTURE):
            return True
    with suppress(OSError):
        beginning = f'{{\n "{STORE.key}"'.encode()
        with (folder / ABOUT).open("rb") as file:
            return file.read(len(beginning)) == beginning
    return False


def _made_of(path: Path, where: str) -> dict[str, Any]:
    """What the folder's store is made of."""
    try:
        told = json.loads(path.read_text("utf-8"))
        version, made_of = told[STORE.key], dict(told["made of"])
    except (ValueError, LookupError, TypeError, RecursionError):
        raise CaptureError(
            f"{where}: its {ABOUT} is damaged, so that nobody knows what is kept there; expected another folder"
        ) from None
    if version != STORE.version:
        raise CaptureError(
            f"{where}: written by another Clearhead (format {version}); expected another folder"
        )
    return made_of


def _differing(theirs: Mapping[str, Any], mine: Mapping[str, Any]) -> list[str]:
    """The names of what is not the same, in the order of this run's."""
    return [name for name in {**mine, **theirs} if theirs.get(name) != mine.get(name)]


def _unlike(name: str, theirs: Any, mine: Any) -> str:
    """What is not the same, with both where they say something to a reader."""
    if any(isinstance(one, str) and one.startswith(DIGEST) for one in (theirs, mine)):
        return name
    return f"{name} ({_short(theirs)} there, {_short(mine)} here)"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return "none" if value in (None, "", [], {}) else text if len(text) <= 80 else f"{text[:79]}…"
