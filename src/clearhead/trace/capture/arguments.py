"""What messages call an argument: as it is written in Python, or as whoever reads the message can give it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Way = Callable[[str, Any], str | None]
"""From the name of an argument, and its value or None, to what a person writes; None where it cannot be given."""


def in_python(name: str, value: Any) -> str:
    """As in a call: "force=True"; without a value "generate="."""
    return f"{name}={'' if value is None else repr(value)}"


_way: Way = in_python


@contextmanager
def called_by(way: Way) -> Iterator[None]:
    """Messages call arguments so, in all threads: a process is one command, or none."""
    global _way
    before, _way = _way, way
    try:
        yield
    finally:
        _way = before


def argument(name: str, value: Any = None) -> str | None:
    """What an argument of a public function is called, with its value if there is one; None: it cannot be given."""
    return _way(name, value)


def either(*ways: str | None) -> str:
    """Those that there are, as "a, b or c"."""
    *before, last = [way for way in ways if way]
    return f"{', '.join(before)} or {last}" if before else last


def without(*names: str) -> str | None:
    """That none of these arguments is given, as far as there are such; None: there is none."""
    found = [f"no {called}" for name in names if (called := argument(name))]
    return " and ".join(found) or None
