"""Saving anything Clearhead shows as one HTML file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clearhead.session.kept import Precision, keep_capture, keep_example, keep_recording, keep_report
from clearhead.session.showing import showing
from clearhead.surfaces.page.document import document
from clearhead.surfaces.page.packing import packed
from clearhead.trace.frames import write_whole
from clearhead.trace.places import file_place

Progress = Callable[[int, int], None]

KEEPS = {"recording": keep_recording, "report": keep_report}
"""How what has a part of its own is kept, by the part; everything else is an example, or the training of one."""


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
    step: int | None = None,
    layer: int | None = None,
    head: int | None = None,
    query: int | None = None,
    cell: str | None = None,
    tower: str | None = None,
    batch: int | None = None,
    tell: Progress | None = None,
) -> SavedPage:
    """Save what `ch.show` shows as one HTML file, which opens anywhere without a network.

    Every cell unfolds into its arithmetic. Of an example the switches mask, scaling, heads and layer, of a training
    or a recording its steps, and of a capture every head of every layer work from what is kept in the file; what a
    model would have to compute anew does not. The numbers of examples, trainings and reports are kept exactly.

    Args:
        x: an `Example`, the name or path of one, a `Trace` of one or of a head, a `TrainingRun`, a `Recording`, a
            `Report`, or a `Capture` of at most 512 tokens.
        path: the file; one that is there is written over, and stays as it was if the new one cannot be written whole.
        worked: of a capture keep the queries, keys and values of every head, from which the page works out everything
            else; otherwise only its weights, in a fifth of the bytes, and no cell unfolds.
        precision: of a capture: "short" keeps weights with four decimals, and queries, keys and values in 6,000 steps
            from 0 to the largest of their head; "float32" as float32 has them.
        step, layer, head, query, cell, tower, batch: what the page begins with, as in `clearhead.show`.
        tell: called with how many states or heads are worked out, and of how many.

    Returns:
        Where the file lies, and how far a capture's weights on it are from its own.

    Raises:
        TypeError: `x` is nothing that can be shown so.
        ValueError: a capture's text is too long, there is no such precision, what to begin with does nothing here, or
            the path ends as another kind of file does.
        LookupError: there is no such step, layer, head, query, tower, sequence or cell.
        OSError: the place cannot be written; the message names it.
        FileNotFoundError: the page's script has not been built.
    """
    place = file_place(path)
    if place.suffix.lower() not in ("", ".html", ".htm"):
        raise ValueError(f"path: the page is HTML; expected a name that ends in .html, got {str(path)!r}")
    places = {
        "step": step, "layer": layer, "head": head, "query": query, "cell": cell, "tower": tower, "batch": batch,
    }  # fmt: skip
    shown = showing(x, **places)
    if shown.capture is not None:
        kept = keep_capture(shown, worked=worked, precision=precision, tell=tell)
    else:
        kept = KEEPS.get(shown.parts[0], keep_example)(shown, tell)
    size = 0

    def counted(pieces: Iterable[bytes]) -> Iterator[bytes]:
        nonlocal size
        for piece in pieces:
            size += len(piece)
            yield piece

    try:
        write_whole(place, counted(document(f"{kept.title} – Clearhead", packed(kept.header, kept.answers))))
    except OSError as error:
        if isinstance(error, FileNotFoundError) and error.errno is None:
            raise  # the page's script
        raise OSError(error.errno, error.strerror, str(path)) from None
    return SavedPage(Path(path), size, kept.says)
