"""Saved captures: one file in the safetensors format, with a description of the arrays in its table of strings.

The arrays are in the model's own formats, bit for bit. What the layers share, their masks above all, is there once.
Opening touches the header alone, whose checksum covers the description and where the arrays lie; numbers are read when
asked for, and each array is compared with its own checksum before its first number is handed out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from clearhead.trace.capture import tensors
from clearhead.trace.capture.assembling import capture_of
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.describing import Description
from clearhead.trace.capture.failing import CaptureError
from clearhead.trace.capture.mapped import Mapped
from clearhead.trace.capture.sealed import Kind
from clearhead.trace.capture.store_about import STORE, holds_a_store
from clearhead.trace.capture.store_read import load_store
from clearhead.trace.frames import Piece, write_whole
from clearhead.trace.places import file_place

FILE = Kind("clearhead-capture", 1, "capture")

KEY, BEGINNING = FILE.key, FILE.beginning

WANTED = "expected a file written by capture.save() or `clearhead capture`"

Tell = Callable[[int, int], None]


def save_capture(
    capture: Capture, path: str | Path, *, below: bool = True, progress: Tell | None = None
) -> None:
    """Write the whole file beside its place, then move it there: a reader never sees half a file.

    The place may be that of the file which this very capture was read from. A link is followed, and a file that is
    there keeps its permissions.

    Args:
        capture: what to write.
        path: where.
        below: keep the layers' inputs and the model's matrices around the heads too, as far as they are proven.
        progress: called with the bytes that are written and how many there are.

    Raises:
        CaptureError: something in it cannot be written down, such as numbers of an unusual format.
        OSError: the place cannot be written, or is no file; the message names it.
    """
    place = file_place(path)
    try:
        description = Description.of(capture, below)
        table = tensors.laid_out(description.arrays)
        metadata = FILE.sealed(description.facts, table)
    except (TypeError, ValueError) as error:
        raise CaptureError(f"{path}: this capture cannot be saved ({error})") from None
    content = tensors.pieces(description.arrays, table, metadata)
    try:
        write_whole(place, content if progress is None else _told(content, table, progress))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def load_capture(path: str | Path) -> Capture:
    """Read a capture that `Capture.save` wrote: every number is as it was. Neither the model nor PyTorch is needed.

    The file is mapped into memory, so it opens at once whatever its size; it has to stay as it is as long as the
    capture is used (another file may take its name). An array is read in whole once, when a part of it is first asked
    for, and compared with its checksum; a damaged one, or a file cut short since, is a CaptureError then.

    Args:
        path: the file, or the folder of a store.

    Raises:
        CaptureError: there is no such file, it is no capture, its header is damaged, it is shorter or longer than that
            says, or comes from a newer version; or the store is not finished.
    """
    place = Path(path).expanduser()
    try:
        if not place.is_dir():
            return _read(place, str(path))
        if not holds_a_store(place):
            raise CaptureError(
                f"{path}: cannot be read (it is a folder that holds no store of a capture); {WANTED}"
            )
        return load_store(place, str(path))
    except OSError as error:
        raise CaptureError(
            f"{path}: cannot be read ({(error.strerror or str(error)).lower()}); {WANTED}"
        ) from None


def is_capture(path: str | Path) -> bool:
    """Whether there is a file that begins as a capture does, or a folder that holds a store, finished or not."""
    try:
        place = Path(path).expanduser()
        return holds_a_store(place) if place.is_dir() else FILE.begins(place) or STORE.begins(place)
    except (OSError, ValueError, RuntimeError):  # none, or a name that no file can have
        return False


def _told(content: Iterator[Piece], table: tensors.Table, progress: Tell) -> Iterator[Piece]:
    """The pieces, with the bytes of the arrays counted as they are taken."""
    total = max((entry["data_offsets"][1] for entry in table.values()), default=0)
    yield next(content)  # the header
    done = 0
    for piece in content:
        yield piece
        done += len(piece)
        progress(done, total)


def _read(place: Path, where: str) -> Capture:
    try:
        table, metadata, start = tensors.read_header(place)
        known = KEY in metadata
    except ValueError:
        if FILE.begins(place) or STORE.begins(place):
            raise _damaged(where, "its header is not whole") from None
        raise CaptureError(f"{where}: not a Clearhead capture; {WANTED}") from None
    if STORE.key in metadata:
        return load_store(place.parent, str(Path(where).parent))
    if not known:
        raise CaptureError(f"{where}: holds arrays, such as a model's weights, but is no capture; {WANTED}")
    try:
        facts = FILE.unsealed(metadata[KEY], table, where)
        return capture_of(facts, Mapped(place, table, start, where))
    except CaptureError:
        raise
    except ValueError as error:
        raise _damaged(where, str(error)) from None
    except (LookupError, TypeError, AttributeError, RecursionError, ArithmeticError):
        raise _damaged(where, FILE.nothing) from None


def _damaged(where: str, why: str) -> CaptureError:
    return CaptureError(f"{where}: the capture is damaged or cut short ({why})")
