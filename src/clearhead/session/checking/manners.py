"""The ways in which a function can be asked: what runs at all is found by trying."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from clearhead.session.checking.answering import answer_to
from clearhead.session.checking.forms import Shape, forms
from clearhead.session.checking.holders import holders, layouts
from clearhead.session.checking.libraries import Failed, libraries
from clearhead.session.checking.questions import questions
from clearhead.session.checking.told import Told
from clearhead.sources.function import TYPES, Asked, Held, Manner, Roles, Trouble, library_of


def manners(function: Callable[..., Any], roles: Roles, told: Told) -> tuple[list[Asked], list[Failed]]:
    """Every way in which the function answers the first question, and what went wrong in the others.

    Raises:
        Trouble: something about it has to be told.
    """
    running: list[Asked] = []
    failed: list[Failed] = []
    for held in holders(function, roles, told):
        for library in libraries(function, held, told, failed):
            here: list[Asked] = []
            for layout in layouts(roles, held, told):
                if layout == "tbD" and _raises_as(failed, library, "btD"):
                    continue  # it has as many axes: what it says of the one order is not to be hidden by the other
                ran, troubles = _in_layout(function, roles, told, library, layout, held)
                here += ran
                failed += troubles
                if any(one.trouble.kind == "hangs" for one in troubles):
                    return running + here, failed
            running += _apart([one for one in here if not _said_by(one, here)])
            if here:
                break
    return running, failed


def _raises_as(failed: list[Failed], library: str, layout: str) -> bool:
    return any(
        (one.manner.library, one.manner.layout, one.trouble.kind) == (library, layout, "raises")
        for one in failed
    )


def _in_layout(
    function: Callable[..., Any], roles: Roles, told: Told, library: str, layout: str, held: Held | None
) -> tuple[list[Asked], list[Failed]]:
    running: list[Asked] = []
    failed: list[Failed] = []
    for shapes in forms(roles, held, told, layout):
        for shape in shapes:
            asked, trouble = _first_type(function, roles, told, (library, layout), held, shape)
            running += [asked] if asked else []
            failed += [trouble] if trouble else []
        if running or any(one.trouble.kind == "hangs" for one in failed):
            break
    return running, failed


CONTAINED = {"htd": "bhtd", "thd": "bthd", "btd": "bhtd", "td": "bhtd", "tD": "btD"}
"""Orders of axes that are another without its first axes: a function that takes that one answers these alike."""


def _said_by(asked: Asked, running: list[Asked]) -> bool:
    names = {one.manner.layout for one in running}
    return CONTAINED.get(asked.manner.layout) in names


def _apart(running: list[Asked]) -> list[Asked]:
    """Where positions can change places with heads or sentences: the order in which values reach other positions."""
    by_name = {one.manner.layout: one for one in running}
    for names in (("bhtd", "bthd"), ("htd", "thd"), ("btD", "tbD")):
        if set(names) <= set(by_name):
            reached = _reached(by_name[names[0]])
            if reached is not None:
                return [one for one in running if one.manner.layout == names[reached]]
    return running


def _reached(asked: Asked) -> int | None:
    """0: values reach others along the axis of positions alone; 1: along the one before; None: both or neither."""
    case = questions(Told(), asked, "none")[0]
    changed = dict(case.given)
    for name in ("V", "X", "context", "values"):
        if name in changed:
            changed[name] = changed[name].copy()
            changed[name][(slice(None), 1, 2) if changed[name].ndim == 4 else (1, 2)] += 1
    try:
        before, after = (answer_to(asked, replace(case, given=one)).output for one in (case.given, changed))
    except Trouble:
        return None
    moved = np.abs(after - before).max(axis=-1) > 1e-6
    moved = moved.any(axis=0) if moved.ndim == 3 else moved
    others, positions = moved.any(axis=1), moved.any(axis=0)
    if positions.sum() > 1 and others.sum() == 1:
        return 0
    return 1 if others.sum() > 1 and positions.sum() == 1 else None


def _first_type(
    function: Callable[..., Any],
    roles: Roles,
    told: Told,
    place: tuple[str, str],
    held: Held | None,
    shape: Shape,
) -> tuple[Asked | None, Failed | None]:
    """The function asked in the finest type that it takes."""
    failed: Failed | None = None
    library, layout = place
    for dtype in _types(told, library, held):
        means = told.mask_means or Manner.meaning
        manner = Manner(library, dtype, layout, means, device=_device(told, held), order=shape.order)
        asked = Asked(function, roles, manner, shape.form, told.arguments, told.time_limit, held)
        try:
            answer = answer_to(asked, questions(told, asked, told.mask or "none")[0])
        except Trouble as error:
            failed = failed or Failed(manner, error)
            if error.kind == "hangs":
                break
        else:  # which of several results is the output is seen best here, where no two sizes are the same
            asked = replace(asked, manner=replace(manner, place=answer.place))
            return _without_hint(asked, told), None
    return None, failed


def _without_hint(asked: Asked, told: Told) -> Asked:
    """Where `causal` alone is not enough, as in nn.MultiheadAttention, the mask says it all."""
    if not {"mask", "causal"} <= set(asked.roles.names):
        return asked
    try:
        answer_to(asked, questions(told, asked, "causal")[0])
    except Trouble:
        names = {role: name for role, name in asked.roles.names.items() if role != "causal"}
        return replace(asked, roles=replace(asked.roles, names=names))
    return asked


def _types(told: Told, library: str, held: Held | None) -> Iterator[str]:
    if told.dtype:
        yield from (one for one in TYPES[library] if one == told.dtype)
    elif held is None or held.dtype is None:
        yield from TYPES[library]
    elif held.own is not None or library == "jax":
        yield held.dtype
    else:
        yield from dict.fromkeys(("float64", held.dtype))


def _device(told: Told, held: Held | None) -> Any:
    """Where the object has its weights."""
    if told.device is not None or held is None:
        return told.device
    return next((one.value.device for one in held.found.values() if library_of(one.value) == "torch"), None)
