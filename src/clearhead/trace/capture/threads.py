"""How many threads the products of NumPy run on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController


@contextmanager
def one_thread() -> Iterator[None]:
    """NumPy's products on one thread: those of a tile or a block are too small for more threads to pay.

    Where several heads are worked on at once, each has its own. The setting is the whole process's, so the first who
    comes makes it, and the last who leaves puts it back.
    """
    held = _held()
    held.enter()
    try:
        yield
    finally:
        held.leave()


class _Held:
    """The setting, and how many need it now."""

    def __init__(self) -> None:
        self._libraries = ThreadpoolController()  # to look for them takes longer than a tile
        self._lock, self._inside = Lock(), 0
        self._limit: Any = None

    def enter(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._limit = self._libraries.limit(limits=1, user_api="blas")
            self._inside += 1

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limit.restore_original_limits()


@cache
def _held() -> _Held:
    return _Held()
