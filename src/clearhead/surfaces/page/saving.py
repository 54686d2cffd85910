"""Saving anything Clearhead shows as one HTML file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from clearhead.session.kept import Kept, keep_example, keep_training
from clearhead.sources.worked import Example
from clearhead.sources.worked.files import load_example
from clearhead.sources.worked.restored import example_of_trace
from clearhead.sources.worked.training.run import TrainingRun
from clearhead.surfaces.page.document import document
from clearhead.surfaces.page.packing import packed
from clearhead.trace.frames import write_whole
from clearhead.trace.trace import Trace

Progress = Callable[[int, int], None]


def save_html(x: Any, path: str | Path, *, tell: Progress | None = None) -> Path:
    """Save what `ch.show` shows as one HTML file, which opens anywhere without a network.

    Every cell unfolds into its arithmetic, at full precision. The switches mask, scaling, heads and layer, or of a
    training its steps, work from answers that are kept in the file; what would have to be computed anew does not.

    Args:
        x: an `Example`, the name or path of one, a `Trace` of one, or a `TrainingRun`.
        path: the file; one that is there is written over, and stays as it was if the new one cannot be written whole.
        tell: called with how many states are worked out, and of how many.

    Returns:
        Where the file lies.

    Raises:
        TypeError: `x` is nothing that can be shown so.
        OSError: the place cannot be written; the message names it.
        FileNotFoundError: the page's script has not been built.
    """
    place = Path(path)
    _check(place)
    kept = _kept(x, tell)
    content = document(f"{kept.title} – Clearhead", packed(kept.header, kept.answers)).encode()
    try:
        write_whole(place.resolve(), [content])
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    return place


def _check(place: Path) -> None:
    """Refuse before the work what could not be written after it."""
    if place.is_dir():
        raise IsADirectoryError(f"{place}: is a folder; expected the path of a file to write")
    if not place.resolve().parent.is_dir():
        raise FileNotFoundError(f"{place}: there is no folder {str(place.parent)!r} to write it into")


def _kept(x: Any, tell: Progress | None) -> Kept:
    if isinstance(x, str | Path):
        x = load_example(x)
    if isinstance(x, Trace):
        x = example_of_trace(x)
    if isinstance(x, Example):
        return keep_example(x, x.name or "example", tell)
    if isinstance(x, TrainingRun):
        return keep_training(x, x.start.name or "example", tell)
    raise TypeError(
        f"a page is saved of an Example, its name, a Trace of one, or a TrainingRun; got {type(x).__name__}"
    )
