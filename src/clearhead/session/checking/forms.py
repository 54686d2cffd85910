"""What a function is asked about: q, k and v, or x with weights that are arguments, or x with weights that it holds."""

from __future__ import annotations

from dataclasses import dataclass

from clearhead.session.checking.told import Told
from clearhead.sources.function import (
    HEADS,
    KV_HEADS,
    LAYOUTS,
    WIDTH,
    Form,
    Held,
    Roles,
    Trouble,
    counted,
)

FREE = 3
"""How many heads a question has where that is free."""
ALIBI = 4
"""And with ALiBi: how its slopes go on where their number is no power of two is a convention."""
GROUPED = 6
"""And where heads share keys and values in a number that is free, too."""
PRIMES = (13, 11)
"""The width of x and of a head where they are free; distinct, so that no axis passes for another."""


@dataclass(frozen=True)
class Shape:
    """What is asked with weights that are arguments.

    Attributes:
        form: the sizes.
        order: how the weights lie, one of `lying.ORDERS`.
    """

    form: Form
    order: str = "in, out"


def forms(roles: Roles, held: Held | None, told: Told, layout: str) -> list[list[Shape]]:
    """What to ask about in this order of axes: of each list what runs is kept; the next is for where none ran."""
    if held is not None:
        return [[Shape(_of_held(held, roles, told, layout))]]
    if roles.of_x:
        return _of_arguments(roles, told, layout)
    return [[Shape(_of_qkv(roles, told, layout))]]


def _counts(roles: Roles, told: Told, otherwise: int) -> tuple[int, int]:
    """Heads, and heads of keys and values."""
    shared = "kv_heads" in roles and told.kv_heads is None and told.heads is None
    otherwise = ALIBI if told.alibi and otherwise > 1 else otherwise
    heads = told.heads or (GROUPED if shared else told.kv_heads * 2 if told.kv_heads else otherwise)
    return heads, told.kv_heads or (GROUPED // 2 if shared else heads)


def _of_qkv(roles: Roles, told: Told, layout: str) -> Form:
    one = LAYOUTS[layout].heads == "one"
    heads, kv_heads = (1, 1) if one else _counts(roles, told, FREE)
    width = told.d_head or (14 if told.rotary else PRIMES[1])
    return Form(heads, kv_heads, _batch(layout), width, width)


def _of_arguments(roles: Roles, told: Told, layout: str) -> list[list[Shape]]:
    known = "heads" in roles or told.heads is not None or told.kv_heads is not None
    counts = _counts(roles, told, FREE if known else 1)
    width = told.d_head or (14 if told.rotary else PRIMES[1])

    def shape(order: str, square: bool, heads: tuple[int, int] = counts) -> Shape:
        d_model = heads[0] * width if square else PRIMES[0]
        return Shape(_sized(roles, layout, heads, d_model, width, known or order == "by head"), order)

    if isinstance(told.weights, str):
        by_head = told.weights == "by head" and not known
        heads = _counts(roles, told, FREE) if by_head else counts
        return [[shape(told.weights, False, heads)], [shape(told.weights, True, heads)]]
    by_head_shape = shape("by head", False, _counts(roles, told, FREE))
    if all(_says_w(roles.names[role]) for role in roles.weights if role.startswith("W_")):
        return [
            [shape("in, out", False)],
            [shape("in, out", True)],
            [by_head_shape],
            [shape("out, in", False)],
        ]
    either = [shape("in, out", True), shape("out, in", True)]
    return [[shape("in, out", False)], [shape("out, in", False)], either, [by_head_shape]]


def _says_w(name: str) -> bool:
    """Whether the name is the textbook's for a matrix (in, out): W_Q, Wq. Names of layers may mean (out, in)."""
    return name.lower().startswith("w") and not name.lower().startswith("weight")


def _sized(roles: Roles, layout: str, heads: tuple[int, int], d_model: int, width: int, known: bool) -> Form:
    of = {"Q": heads[0] * width, "K": heads[1] * width, "V": heads[1] * width}
    shapes: dict[str, tuple[int, ...]] = {f"W_{one}": (d_model, out) for one, out in of.items()}
    biases = {f"b_{one}": (out,) for one, out in of.items() if {f"b_{one}", "b_QKV"} & set(roles.names)}
    shapes |= biases
    if "W_O" in roles:
        shapes["W_O"] = (heads[0] * width, d_model)
        if "b_O" in roles:
            shapes["b_O"] = (d_model,)
    return Form(
        *heads,
        _batch(layout),
        width,
        width,
        True,
        d_model,
        d_model,
        _context(roles),
        False,
        shapes,
        None,
        known,
    )


def _of_held(held: Held, roles: Roles, told: Told, layout: str) -> Form:
    shapes = held.shapes
    known = told.heads or held.apart or counted(held.owner, _paths(held), HEADS)
    width = counted(held.owner, _paths(held), WIDTH)
    (d_model, queries), (d_context, keys) = shapes["W_Q"], shapes["W_K"]
    heads = known or (queries // width if width and queries % width == 0 else 1)
    kv_heads = told.kv_heads or counted(held.owner, _paths(held), KV_HEADS) or max(1, keys * heads // queries)
    if queries % heads or keys % kv_heads or shapes["W_V"][-1] % kv_heads or heads % kv_heads:
        raise Trouble(
            "telling",
            f"its W_Q of shape {shapes['W_Q']} and W_K of shape {shapes['W_K']} do not make {heads} heads on "
            f"{kv_heads} of keys and values; expected heads= and kv_heads=",
        )
    apart = not roles.of_x
    context = "may" if apart else _context(roles)
    if d_context != d_model:  # keys cannot be made of x
        if context == "no":
            raise Trouble(
                "telling",
                f"its W_K takes a width of {d_context} and its W_Q of {d_model}, and none of its parameters is known "
                "as what keys are made of; expected roles={...: 'context'}",
            )
        context = "must"
    return Form(
        heads, kv_heads, _batch(layout), queries // heads, shapes["W_V"][-1] // kv_heads, True, d_model, d_context,
        context, apart, shapes, held.own, bool(known or width),
    )  # fmt: skip


def _paths(held: Held) -> list[str]:
    return [piece.path for pieces in held.places.values() for piece in pieces]


def _context(roles: Roles) -> str:
    if "context" not in roles:
        return "no"
    return "must" if "context" in roles.required else "may"


def _batch(layout: str) -> int:
    return 2 if LAYOUTS[layout].batch else 1
