"""Whose turn it is: one model runs at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from clearhead.session.long import OTHERS_TURN, WAITS, GivenUp, LongReading, waiting
from clearhead.session.view import Unfinished


class Turn:
    """One model runs at a time. A long reading that nobody asks about any more makes room for whoever waits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._long: LongReading | None = None

    @contextmanager
    def of_short(self, name: str) -> Iterator[None]:
        """The turn of a text that is read at once, which waits for others like it.

        Raises:
            Unfinished: a long text is being read.
        """
        while not self._lock.acquire(timeout=WAITS):
            if self._make_room():
                raise Unfinished(waiting(name))
        try:
            yield
        finally:
            self._lock.release()

    @contextmanager
    def of_long(self, one: LongReading) -> Iterator[None]:
        """The turn of a long reading, which waits in its own thread.

        Raises:
            GivenUp: nobody asks about it, and it has not begun.
        """
        while not self._lock.acquire(timeout=WAITS):
            one.tell(OTHERS_TURN)
            if one.forgotten:
                raise GivenUp
            self._make_room()
        self._long = one
        try:
            yield
        finally:
            self._long = None
            self._lock.release()

    def _make_room(self) -> bool:
        """Whether a long text is being read; it is given up if nobody asks about it."""
        long = self._long
        if long is not None and long.forgotten:
            long.give_up()
        return long is not None
