"""Whether a function takes fewer heads of keys and values than of queries, where nothing was told of that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from clearhead.session.checking.manners import manners
from clearhead.session.checking.told import Told
from clearhead.session.checking.unasked import PATIENCE
from clearhead.sources.function import Asked, Roles, Trouble

HEADS = 4
"""How many heads of queries it is tried with; heads of keys and values are as few as divide them, but more than one.

One alone is shared by any function whose arrays are broadcast, whether that was meant or not.
"""


def shared(
    function: Callable[..., Any], roles: Roles, told: Told, asked: Asked
) -> tuple[Told, list[Asked]] | None:
    """What is known beside with fewer heads of keys and values, and the ways in which it runs so; None if in none."""
    heads = told.heads or HEADS
    fewer = next((count for count in range(2, heads) if heads % count == 0), None)
    if told.kv_heads or "kv_heads" in roles or asked.layout.heads != "apart" or fewer is None:
        return None
    limit = min(told.time_limit, PATIENCE)
    known = replace(
        told,
        heads=heads,
        kv_heads=fewer,
        layout=asked.manner.layout,
        library=asked.manner.library,
        time_limit=limit,
    )
    try:
        running, _ = manners(function, roles, known)
    except Trouble:
        return None
    return (known, running) if running else None
