"""The ways in which a function can be asked: what runs at all is found by trying."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from clearhead.lenses.diagnose import Case, Sizes, cases
from clearhead.session.checking.told import Told
from clearhead.sources.function import LAYOUTS, MEANINGS, TYPES, Asked, Manner, Roles, Trouble, guessed

HEADS = 3
"""How many heads a question has where that is free."""
GROUPED = 6
"""And where heads share keys and values, if that is not told either."""


def heads_of(told: Told, layout: str) -> int:
    """How many heads the questions have in this order of axes."""
    if LAYOUTS[layout].heads == "one":
        return 1
    return told.heads or (told.kv_heads * 2 if told.kv_heads else HEADS)


def sizes_of(told: Told, layout: str) -> Sizes:
    """How large the questions are: primes, and an even width where features are turned in pairs."""
    width = told.d_head or (14 if told.rotary else 11)
    return Sizes(batch=2 if LAYOUTS[layout].batch else 1, d_head=width, d_value=width)


def questions(told: Told, layout: str, mask: str) -> list[Case]:
    """The cases in this order of axes."""
    spec = told.spec(heads_of(told, layout), LAYOUTS[layout].heads == "joined", mask)
    return list(cases(spec, sizes_of(told, layout), told.seed))


def manners(function: Callable[..., Any], roles: Roles, told: Told) -> tuple[list[Asked], list[Trouble]]:
    """Every way in which the function answers the first question, and what went wrong in the others."""
    running: list[Asked] = []
    troubles: list[Trouble] = []
    for library in (told.library,) if told.library else guessed(function):
        for layout in _layouts(roles, told):
            asked, trouble = _first_type(function, roles, told, library, layout)
            if asked:
                running.append(asked)
            elif trouble:
                troubles.append(trouble)
                if trouble.kind == "hangs":
                    return running, troubles
        if running:
            break
    return _apart([one for one in running if not _said_by(one, running)]), troubles


CONTAINED = {"htd": "bhtd", "thd": "bthd", "btd": "bhtd", "td": "bhtd", "tD": "btD"}
"""Orders of axes that are another without its first axes: a function that takes that one answers these alike."""


def _said_by(asked: Asked, running: list[Asked]) -> bool:
    names = {one.manner.layout for one in running}
    return CONTAINED.get(asked.manner.layout) in names


def _apart(running: list[Asked]) -> list[Asked]:
    """Where positions and heads can change places: the order in which the values of one position reach others."""
    by_name = {one.manner.layout: one for one in running}
    for names in (("bhtd", "bthd"), ("htd", "thd")):
        if set(names) <= set(by_name):
            reached = _reached(by_name[names[0]])
            if reached is not None:
                return [by_name[names[reached]]]
    return running


def _reached(asked: Asked) -> int | None:
    """0: values reach other places along the axis of positions alone; 1: along that of heads; None: both or neither."""
    case = questions(Told(), "bhtd", "none")[0]
    V = case.given["V"].copy()
    V[:, 1, 2] += 1
    try:
        before, after = (asked({**case.given, "V": one}).output for one in (case.given["V"], V))
    except Trouble:
        return None
    moved = np.abs(after - before).max(axis=(0, 3)) > 1e-6
    heads, positions = moved.any(axis=1), moved.any(axis=0)
    if positions.sum() > 1 and heads.sum() == 1:
        return 0
    return 1 if heads.sum() > 1 and positions.sum() == 1 else None


def _layouts(roles: Roles, told: Told) -> Iterator[str]:
    if told.layout:
        yield told.layout
        return
    knows_heads = "heads" in roles or told.heads is not None
    for name, layout in LAYOUTS.items():
        if layout.heads == "joined" and not knows_heads:
            continue
        if "heads" in roles and layout.heads != "joined":
            continue
        if layout.heads == "one" and told.heads not in (None, 1):
            continue
        yield name


def _first_type(
    function: Callable[..., Any], roles: Roles, told: Told, library: str, layout: str
) -> tuple[Asked | None, Trouble | None]:
    """The function asked in the finest type that it takes."""
    trouble: Trouble | None = None
    for dtype in (told.dtype,) if told.dtype else TYPES[library]:
        asked = Asked(
            function,
            roles,
            Manner(library, dtype, layout, device=told.device),
            told.arguments,
            told.time_limit,
        )
        try:
            answer_to(asked, questions(told, layout, told.mask or "none")[0])
        except Trouble as error:
            trouble = trouble or error
            if error.kind == "hangs":
                break
        else:
            return asked, None
    return None, trouble


def with_meanings(asked: Asked, told: Told) -> Iterator[Asked]:
    """The function asked with each meaning that its mask may have, and the axes with which it takes it.

    A meaning is out of the question if a mask that lets everything through is not the same as none.
    """
    if not {"mask", "padding"} & set(asked.roles.names):
        yield asked
        return
    if "mask" not in asked.roles:
        for meaning in (told.mask_means,) if told.mask_means else ("seen", "hidden"):
            yield replace(asked, manner=replace(asked.manner, meaning=meaning))
        return
    case = questions(told, asked.manner.layout, "none")[0]
    unmasked, earlier = _output(asked, case), list[np.ndarray]()
    for meaning in (told.mask_means,) if told.mask_means else MEANINGS:
        for axes in ("full", "square"):
            tried = replace(asked, manner=replace(asked.manner, meaning=meaning, mask_axes=axes))
            open_, hidden = (_output(tried, replace(case, allowed=seen)) for seen in _two_masks(case))
            if open_ is None or hidden is None:
                continue
            possible = told.mask_means or unmasked is None or _alike(open_, unmasked)
            if possible and not any(_alike(hidden, one) for one in earlier):
                earlier.append(hidden)
                yield tried
            break


def _two_masks(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """One that lets everything through, and one that does not."""
    everything = np.ones(case.sizes, bool)
    return everything, np.tril(everything)


def _output(asked: Asked, case: Case) -> np.ndarray | None:
    try:
        return np.asarray(answer_to(asked, case).output)
    except Trouble:
        return None


def _alike(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(np.allclose(one, other, rtol=1e-2, atol=1e-2, equal_nan=True))


def answer_to(asked: Asked, case: Case) -> Any:
    """The answer to one case; the function is handed the mask, or told that it is causal, where it has a place for that."""
    spec, roles = case.spec, asked.roles
    more: dict[str, Any] = {
        "heads": spec.heads,
        "kv_heads": spec.kv_heads,
        "scale": spec.scale,
        "dropout": 0.0,
        "training": False,
    }
    if "causal" in roles:
        more["causal"] = spec.mask == "causal"
    if "padding" in roles and case.padding is not None:
        more["padding"] = case.padding
    if "mask" in roles and (case.allowed is not None or (spec.mask != "none" and "causal" not in roles)):
        seen = replace(case, padding=None).visible() if "padding" in roles else case.visible()
        more["mask"] = seen if "causal" not in roles else case.allowed
    elif "mask" in roles.required:
        more["mask"] = np.ones(case.sizes, bool)
    return asked(case.given, **more)
