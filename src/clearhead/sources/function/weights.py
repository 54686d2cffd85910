"""Which arrays of an object are which weights of its attention."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from clearhead.sources.function.answer import Trouble
from clearhead.sources.function.arrays import Found
from clearhead.sources.function.lying import Piece, cut, to_reference
from clearhead.sources.function.named import weight_named

Places = Mapping[str, tuple[Piece, ...]]
"""Of each weight ("W_Q", "b_Q" ...) the pieces that it is put together of, side by side."""

ROLES = ("W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O")
NEEDED = ("W_Q", "W_K", "W_V")


def places(
    found: Mapping[str, Found], told: Mapping[str, str], heads: int, kv_heads: int, order: str | None = None
) -> Iterator[dict[str, tuple[Piece, ...]]]:
    """Where each weight lies: the likeliest first, then with fused weights cut the other way.

    Args:
        found: the arrays of the object.
        told: the path of a weight, for those that a person told.
        heads: of the queries; kv_heads: of keys and values. They say where fused weights are cut.
        order: of the axes of each matrix, one of `lying.ORDERS`; None: as its place tells.

    Raises:
        Trouble: one of W_Q, W_K and W_V is not found; the message asks for it.
    """
    named = _named(found, told)
    fused = [kind for kind, _ in named if kind in ("QKV", "KV", "heads")]
    orders = [["heads" in fused], ["heads" not in fused]] if fused else [[False]]
    for (by_head,) in orders:
        try:
            made = _placed(named, found, (heads, kv_heads), by_head, order)
        except ValueError:
            continue
        for role in NEEDED:
            if role not in made:
                raise Trouble("telling", _asks(role, found))
        yield made
    if not orders:
        raise Trouble("telling", _asks("W_Q", found))


def _named(found: Mapping[str, Found], told: Mapping[str, str]) -> dict[tuple[str, bool], list[str]]:
    """The paths of each kind of weight or bias, in the order in which the object has them."""
    named: dict[tuple[str, bool], list[str]] = {}
    for role, path in told.items():
        if path not in found:
            there = (
                f"expected one of {_listed(found)}"
                if found
                else "it holds none; expected an object that does"
            )
            raise Trouble("telling", f"weights: it has no array {path!r}; {there}")
        named[(role.partition("_")[2], role.startswith("b_"))] = [path]
        beside = f"{path.removesuffix('.weight')}.bias"  # of the same layer
        if role.startswith("W_") and path.endswith(".weight") and beside in found:
            named.setdefault((role.partition("_")[2], True), [beside])
    known = set(named)
    for path in found:
        meant = weight_named(path)
        if meant is not None and meant not in known and path not in told.values():
            named.setdefault(meant, []).append(path)
    for (kind, bias), paths in named.items():
        if len({_without_numbers(path) for path in paths}) > 1:
            role = f"{'b' if bias else 'W'}_{kind}"
            raise Trouble(
                "telling",
                f"several of its arrays may be {role}: {', '.join(paths)}; expected weights={{{role!r}: one of them}}",
            )
    return named


def _without_numbers(path: str) -> str:
    return ".".join(one for one in path.split(".") if not one.isdigit())


def _placed(
    named: Mapping[tuple[str, bool], list[str]],
    found: Mapping[str, Found],
    counts: tuple[int, int],
    by_head: bool,
    order: str | None,
) -> dict[str, tuple[Piece, ...]]:
    made: dict[str, tuple[Piece, ...]] = {}
    for (kind, bias), paths in named.items():
        pieces = tuple(Piece(path, _order(found[path], order)) for path in paths)
        letter = "b" if bias else "W"
        if kind in "QKVO" and len(kind) == 1:
            made[f"{letter}_{kind}"] = pieces
            continue
        width = to_reference(found[paths[0]].numbers(), pieces[0].order, f"{letter}_{kind}").shape[-1]
        kinds = "KV" if kind == "KV" else "QKV"
        for one, columns in cut(*counts, width, kinds, by_head).items():
            made[f"{letter}_{one}"] = tuple(replace(piece, columns=columns) for piece in pieces)
    return made


def _order(one: Found, told: str | None) -> str:
    """Of the axes of one array: as told, where it has so many; otherwise as its place tells."""
    return told if told and one.value.ndim == (3 if told == "by head" else 2) else one.order()


def _asks(role: str, found: Mapping[str, Found]) -> str:
    if not found:
        return (
            "it is not clear where its weights are; expected weights={'W_Q': array, 'W_K': array, 'W_V': array}, with "
            "W_O and biases where it has them"
        )
    return f"it is not clear which of its weights is {role}; expected weights={{{role!r}: one of {_listed(found)}}}"


def _listed(found: Mapping[str, Found]) -> str:
    matrices = {path: one.value.shape for path, one in found.items() if one.value.ndim > 1}
    shown = [f"{path} {tuple(shape)}" for path, shape in list(matrices.items())[:12]]
    return ", ".join(shown) + (" ..." if len(matrices) > 12 else "")


def read(found: Mapping[str, Found], where: Places) -> dict[str, np.ndarray]:
    """Every weight as the reference has it: (in, out), a bias (out,)."""
    return {
        role: np.concatenate([_read(found[one.path], one, role) for one in pieces], axis=-1)
        for role, pieces in where.items()
    }


def _read(one: Found, piece: Piece, role: str) -> np.ndarray:
    matrix = to_reference(one.numbers(), piece.order, role)
    return matrix if piece.columns is None else matrix[..., list(piece.columns)]
