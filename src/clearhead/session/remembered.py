"""What was computed a moment ago, so that it need not be computed again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Remembered(Generic[T]):
    """The last few results by what they were made of. It saves time and nothing else: any of them can be made again."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._results: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> T | None:
        """The result for a key, if it is remembered."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
            return self._results.get(key)

    def of(self, key: Hashable, make: Callable[[], T]) -> T:
        """The result for a key; if it is not remembered it is made, without holding up others meanwhile."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
        made = make()
        with self._lock:
            result = self._results.setdefault(key, made)  # another thread may have made it meanwhile
            while len(self._results) > self._most:
                self._results.popitem(last=False)
        return result
