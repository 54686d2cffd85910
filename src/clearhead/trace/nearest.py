"""Names that are most like one that is not there: what was meant, most likely."""

from __future__ import annotations

from collections.abc import Iterable

MOST = 3
"""Names that are found to be like another."""


def nearest(name: object, names: Iterable[str]) -> list[str]:
    """The names most like it, the likest first; none if none is like it. Upper and lower case count for nothing."""
    from difflib import get_close_matches  # needed for mistakes alone

    known: dict[str, list[str]] = {}
    for one in dict.fromkeys(names):
        known.setdefault(one.casefold(), []).append(one)
    return [one for alike in get_close_matches(str(name).casefold(), known, MOST) for one in known[alike]]


def meant(alike: Iterable[str], otherwise: str) -> str:
    """The question whether one of these was meant, and then what is said otherwise, or that alone if there are none.

    "did you mean weights or dweights? Expected one of …", or "expected one of …".
    """
    *before, last = dict.fromkeys(alike) or [""]
    if not last:
        return otherwise
    listed = f"{', '.join(before)} or {last}" if before else last
    return f"did you mean {listed}? {otherwise[:1].upper()}{otherwise[1:]}"
