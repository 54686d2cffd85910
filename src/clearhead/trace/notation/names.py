"""Names in formulas, piece by piece: W_Q, d_head, h·d_head+k, row(i), contribution_size, layer0.W_Q, dX_from_XW_Q."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

PIECE = re.compile(r"(?:layer\d+[._])?[A-Za-z]+(?:_[A-Za-z0-9]+)*|[Α-ω][₀-₉]*|\d+|\S")
SCOPE = re.compile(r"layer(\d+)[._](.+)")
LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")

UPDATE = re.compile(r"(.+?)((?:_velocity|_[mv](?=_|$))?(?:_next|_hat)?)")
"""What an optimiser's quantities have after the name of their parameter: E_next, E_velocity_next, E_m_hat."""


@dataclass(frozen=True)
class Piece:
    """One piece of a name.

    Attributes:
        kind: "name", "number", "sign", or "word" for what is set upright as it stands: the d of a gradient, " from ".
        text: the piece, without its subscript; a word of several parts keeps its underscores.
        subscript: what stands below a name: ("Q",) of W_Q, ("m_hat",) of E_m_hat, ("1", "next") of gain_1_next.
        layer: what stands above it in brackets: "0" of layer0.W_Q; empty if nothing.
    """

    kind: str
    text: str
    subscript: tuple[str, ...] = ()
    layer: str = ""


@lru_cache(4096)
def pieces(name: str) -> tuple[Piece, ...]:
    """The name taken apart."""
    whole, between, consumer = name.partition("_from_")
    if between:
        return (*pieces(whole), Piece("word", " from "), *pieces(consumer))
    return tuple(piece for text in PIECE.findall(name) for piece in _pieces(text))


def needs_brackets(name: str) -> bool:
    """Whether indices after the name would be taken for a part of it: those of (W_Q)[m, c] would."""
    parts = pieces(name)
    return bool(parts[-1].subscript) or Piece("word", " from ") in parts


def _pieces(text: str) -> list[Piece]:
    if text.isdecimal():
        return [Piece("number", text)]
    if not text[0].isalpha():
        return [Piece("sign", text)]
    if not text[0].isascii():
        return [Piece("name", text[0], tuple(text[1:].translate(LOWERED)))]
    scoped = SCOPE.fullmatch(text)
    layer, bare = scoped.groups() if scoped else ("", text)
    if bare[0] == "d" and bare[1:2].isupper():
        return [Piece("word", "d"), _named(bare[1:], layer)]
    return [_named(bare, layer)]


def _named(text: str, layer: str) -> Piece:
    parameter, update = UPDATE.fullmatch(text).groups()  # type: ignore[union-attr]  # it matches every name
    base, *parts = parameter.split("_")
    if (
        base.islower() and len(base) > 1
    ):  # contribution_size is one word; W_Q, d_head and gain_1 have a subscript
        words = next((at for at, part in enumerate(parts) if part.isdecimal()), len(parts))
        base, parts = "_".join([base, *parts[:words]]), parts[words:]
    after = [update[1:]] if update.endswith("_hat") else update.split("_")[1:]
    return Piece("name", base, (*parts, *after), layer)
