"""Saving anything Clearhead shows as one HTML file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clearhead.session.kept import Precision, keep_capture, keep_example
from clearhead.session.showing import showing
from clearhead.surfaces.page.document import document
from clearhead.surfaces.page.packing import packed
from clearhead.trace.frames import write_whole

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class SavedPage:
    """A page that was saved.

    Attributes:
        path: where it lies.
        size: its bytes.
        says: how exact its numbers are, as a sentence; "" where they are all exact.
    """

    path: Path
    size: int
    says: str = ""

    def __fspath__(self) -> str:
        """The path, so that it can be opened as one."""
        return str(self.path)

    def __str__(self) -> str:
        """Where it lies, how large it is, and how exact."""
        return f"{self.path} ({self.size / 1000:,.0f} kB)" + (f": {self.says}" if self.says else "")


def save_html(
    x: Any,
    path: str | Path,
    *,
    worked: bool = True,
    precision: Precision = "short",
    tell: Progress | None = None,
) -> SavedPage:
    """Save what `ch.show` shows as one HTML file, which opens anywhere without a network.

    Every cell unfolds into its arithmetic. Of an example the switches mask, scaling, heads and layer, of a training its
    steps, and of a capture every head of every layer work from what is kept in the file; what a model would have to
    compute anew does not. The numbers of examples and trainings are kept exactly.

    Args:
        x: an `Example`, the name or path of one, a `Trace` of one, a `TrainingRun`, or a `Capture` of at most 512
            tokens.
        path: the file; one that is there is written over, and stays as it was if the new one cannot be written whole.
        worked: of a capture keep the queries, keys and values of every head, from which the page works out everything
            else; otherwise only its weights, in a fifth of the bytes, and no cell unfolds.
        precision: of a capture: "short" keeps weights with four decimals, and queries, keys and values in 6,000 steps
            from 0 to the largest of their head; "float32" as float32 has them.
        tell: called with how many states or heads are worked out, and of how many.

    Returns:
        Where the file lies, and how far a capture's weights on it are from its own.

    Raises:
        TypeError: `x` is nothing that can be shown so.
        ValueError: a capture's text is too long, or there is no such precision.
        OSError: the place cannot be written; the message names it.
        FileNotFoundError: the page's script has not been built.
    """
    place = Path(path)
    _check(place)
    shown = showing(x)
    if shown.capture is None:
        kept = keep_example(shown, tell)
    else:
        kept = keep_capture(shown, worked=worked, precision=precision, tell=tell)
    size = 0

    def counted(pieces: Iterable[bytes]) -> Iterator[bytes]:
        nonlocal size
        for piece in pieces:
            size += len(piece)
            yield piece

    try:
        write_whole(
            place.resolve(), counted(document(f"{kept.title} – Clearhead", packed(kept.header, kept.answers)))
        )
    except OSError as error:
        if isinstance(error, FileNotFoundError) and error.errno is None:
            raise  # the page's script
        raise OSError(error.errno, error.strerror, str(path)) from None
    return SavedPage(place, size, kept.says)


def _check(place: Path) -> None:
    """Refuse before the work what could not be written after it."""
    if place.is_dir():
        raise IsADirectoryError(f"{place}: is a folder; expected the path of a file to write")
    if not place.resolve().parent.is_dir():
        raise FileNotFoundError(f"{place}: there is no folder {str(place.parent)!r} to write it into")
