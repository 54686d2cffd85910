"""What is said of a function that could not be asked, or not in the order of axes that it was meant for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from clearhead.session.checking.libraries import Failed, of_another_library
from clearhead.session.checking.manners import manners
from clearhead.session.checking.told import Told
from clearhead.sources.function import LAYOUTS, TYPES, Asked, Roles, Trouble, named_libraries

SEVERAL = (2, 3, 4, 6, 8)
"""How many heads a function is tried with that ran with none told."""
TRIED = ("btD", "tD")
"""The orders of axes in which the number of heads is not to be seen."""
WIDTHS = (8, 64)
"""How wide a head is tried to be that ran with no odd width: for a rotation in pairs, and as many have it fixed."""
PATIENCE = 1.0
"""Seconds for a call that only shows whether a hint would help."""


def why_not(failed: list[Failed], function: Callable[..., Any], roles: Roles, told: Told) -> Trouble:
    """What went wrong in the likeliest way of asking, with the one thing that may be missing."""
    if not failed:
        return Trouble(
            "telling", f"no library at hand has the type {told.dtype}; expected library='torch' beside it"
        )
    here = _of_likeliest(failed, function)
    first = here[0].trouble
    if first.kind != "raises":
        return first
    says = str(first)
    if not first.own and (own := next((one for one in here if one.trouble.own), None)):
        says = f"{says}; as {LAYOUTS[own.manner.layout].says} {own.trouble}"
    if heads_would_help(failed, function, roles, told):
        says = f"{says}; with several heads side by side it runs: expected heads=, how many it has"
    return Trouble(first.kind, says)


def _of_likeliest(failed: list[Failed], function: Callable[..., Any]) -> list[Failed]:
    """The failures with the library that the code names; else the first whose arrays have the methods it wants."""
    libraries = dict.fromkeys(one.manner.library for one in failed)
    foreign = {one.manner.library for one in failed if of_another_library(one)}
    named = [one for one in libraries if one in named_libraries(function)]
    likely = named or [one for one in libraries if one not in foreign] or list(libraries)
    return [one for one in failed if one.manner.library == likely[0]]


def heads_would_help(failed: list[Failed], function: Callable[..., Any], roles: Roles, told: Told) -> bool:
    """Whether it runs with some number of heads, where that is neither told nor a parameter. It is tried."""
    if told.heads or told.kv_heads or "heads" in roles or told.layout not in (None, *TRIED):
        return False
    tried = (told.layout,) if told.layout else TRIED
    guesses = ({"heads": heads, "layout": layout} for layout in tried for heads in SEVERAL)
    return _first_that_runs(function, roles, told, failed, guesses) is not None


def another_width(
    failed: list[Failed], function: Callable[..., Any], roles: Roles, told: Told
) -> tuple[Told, str] | None:
    """What is known with another width of a head, if with that the function runs; and why, as a note."""
    here = _of_likeliest(failed, function) if failed else []
    if told.d_head or not here or here[0].trouble.kind != "raises":
        return None
    found = _first_that_runs(function, roles, told, failed, ({"d_head": width} for width in WIDTHS))
    if found is None:
        return None
    error = next((one for one in failed if one.manner.library == found.library), here[0]).trouble
    note = f"it was asked with heads of width {found.d_head}, as d_head= would tell; with another {error}"
    return replace(told, d_head=found.d_head), note


def _first_that_runs(
    function: Callable[..., Any],
    roles: Roles,
    told: Told,
    failed: list[Failed],
    guesses: Iterable[dict[str, Any]],
) -> Told | None:
    """The first of some guesses, each in the libraries that were tried, with which it runs; None if there is none."""
    libraries = dict.fromkeys(one.manner.library for one in failed)
    for guess in guesses:
        for library in libraries:
            types, limit = told.dtype or TYPES[library][0], min(told.time_limit, PATIENCE)
            known = replace(told, library=library, dtype=types, time_limit=limit, **guess)
            try:
                running, others = manners(function, roles, known)
            except Trouble:
                return None
            if any(one.held for one in running) or any(one.trouble.kind == "hangs" for one in others):
                return None  # its sizes are its own; or there is nothing to wait for
            if running:
                return known
    return None


def said_otherwise(asked: Asked, failed: list[Failed]) -> tuple[str, ...]:
    """What the function itself says of a likelier order of axes than the one in which it ran, as a note."""
    own = (one for one in failed if one.trouble.own and one.manner.library == asked.manner.library)
    first = next((one for one in own if one.manner.layout != asked.manner.layout), None)
    if first is None:
        return ()
    return (f"asked as {LAYOUTS[first.manner.layout].says}, {first.trouble}",)
