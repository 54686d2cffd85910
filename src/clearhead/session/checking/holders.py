"""The objects that hold their own weights: which arrays are which, and in which orders of axes they are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from clearhead.session.checking.told import Told
from clearhead.sources.function import (
    HEADS,
    KV_HEADS,
    LAYOUTS,
    WIDTH,
    Found,
    Held,
    Roles,
    Trouble,
    arrays_in,
    copied,
    counted,
    numbers,
    places,
    weight_named,
)


def holders(function: Callable[..., Any], roles: Roles, told: Told) -> list[Held | None]:
    """The objects to ask, each with another guess at where its weights lie; [None] where it holds none.

    Raises:
        Trouble: it takes x, and its weights are not found.
    """
    if roles.of_x and roles.weights and (isinstance(told.weights, str) or not told.weights):
        return [None]
    names = {} if isinstance(told.weights, str) else told.weights
    call, owner, is_copy = copied(function)
    given = {role: value for role, value in names.items() if not isinstance(value, str)}
    if given:
        own = {role: numbers(value, role)[0] for role, value in given.items()}
        _all_told(own)
        return [Held(call, owner, {}, {}, own)]
    found = {} if owner is None else arrays_in(owner)
    if not roles.of_x and not names and not _has_projections(found):
        return [None]
    _refuse_transformers(owner)
    heads, kv_heads = _heads_held(owner, found, names, told)
    order = told.weights if isinstance(told.weights, str) else None
    made = [Held(call, owner, found, where, None) for where in places(found, names, heads, kv_heads, order)]
    if not is_copy:
        made = [Held(call, owner, found, one.places, one.weights) for one in made]
    return list(made)


def _all_told(own: Mapping[str, Any]) -> None:
    for role in ("W_Q", "W_K", "W_V"):
        if role not in own:
            raise Trouble("telling", f"weights: {role} is missing; expected W_Q, W_K and W_V, each (in, out)")


def _has_projections(found: Mapping[str, Found]) -> bool:
    """Whether a function of q, k and v projects them: it has matrices enough."""
    return (
        any(weight_named(path) == ("QKV", False) for path in found)
        or sum(one.value.ndim > 1 for one in found.values()) > 2
    )


def _refuse_transformers(owner: Any) -> None:
    kind = type(owner)
    if kind.__module__.startswith("transformers.models."):
        raise Trouble(
            "telling",
            f"{kind.__name__} is a layer of transformers, whose masks and positions come from its model; expected a "
            "function or module of your own (clearhead.model shows what a model of transformers computes)",
        )


def _heads_held(
    owner: Any, found: Mapping[str, Any], names: Mapping[str, Any], told: Told
) -> tuple[int, int]:
    """As far as it matters for where fused weights are cut."""
    heads = told.heads or counted(owner, found, HEADS)
    width = counted(owner, found, WIDTH)
    if heads is None and width:
        whole = next(iter(places(found, names, 1, 1)))
        matrix = Held(lambda: None, owner, found, whole, None).shapes["W_Q"]
        heads = max(1, matrix[-1] // width)
    heads = heads or 1
    kv_heads = told.kv_heads or counted(owner, found, KV_HEADS) or heads
    if heads % kv_heads:
        raise Trouble(
            "telling",
            f"{heads} heads cannot share {kv_heads} of keys and values; expected heads= and kv_heads=",
        )
    return heads, kv_heads


def layouts(roles: Roles, held: Held | None, told: Told) -> Iterator[str]:
    """The orders of axes to try."""
    if told.layout:
        yield told.layout
        return
    if held is not None or roles.of_x:
        first = counted_flag(held, "batch_first")
        yield from (("btD", "tbD", "tD") if first is None or roles.of_x else ("btD",) if first else ("tbD",))
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


def counted_flag(held: Held | None, name: str) -> bool | None:
    """What an object says of itself by a name that holds True or False."""
    value = getattr(held.owner, name, None) if held is not None else None
    return value if isinstance(value, bool) else None
