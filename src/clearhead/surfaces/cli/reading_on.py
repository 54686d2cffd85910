"""How far the reading of a long text is, in one line below the page's address."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clearhead.surfaces.cli.bars import say
from clearhead.surfaces.cli.output import printable

if TYPE_CHECKING:
    from clearhead.session.long import LongReading

EACH = 0.25
"""Seconds after which the line is written anew."""

CLEARED = "\r\033[K"
"""Back to the beginning of the line, which is empty again."""


@contextmanager
def shown_below(reading: LongReading | None, began: float) -> Iterator[Callable[[], None]]:
    """Gives what is to be called when the address stands there; from then on the line is shown, until the end.

    Args:
        reading: the long text; None: there is none, and nothing is shown.
        began: when the command began, on the clock of `time.monotonic`.
    """
    over = threading.Event()

    def watch() -> None:
        assert reading is not None  # without one nothing is watched
        terminal = sys.stderr.isatty()
        while not reading.join(EACH) and not over.is_set():
            if terminal:
                _write(f"{CLEARED}{_line(reading, began)}")
        if terminal:
            _write(CLEARED)
        if not over.is_set():
            say(_last_line(reading, began))

    def show() -> None:
        if reading is not None:
            threading.Thread(target=watch, name="clearhead-line", daemon=True).start()

    try:
        yield show
    finally:
        over.set()


def _line(reading: LongReading, began: float) -> str:
    so_far = reading.so_far
    counted = f" {so_far.counted}." if so_far.counted else ""
    return printable(f"{so_far.what}{counted} {_clock(time.monotonic() - began)}")


def _last_line(reading: LongReading, began: float) -> str:
    """What came of it; the time is that from the beginning of the command to the last head."""
    if reading.problem:
        return f"clearhead: {reading.problem}"
    if reading.heads is None:
        return "The reading made room for another text."
    return (
        f"{reading.heads} heads on {reading.tokens:,} tokens were there after "
        f"{_clock(reading.heads_at - began)}."
    )


def _clock(seconds: float) -> str:
    """A time such as 1:05, in minutes and seconds; below a minute 5.2 s."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
