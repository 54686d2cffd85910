"""Names in formulas, piece by piece: W_Q, d_head, 2m, h·d_head+k, row(i), contribution_size."""

from __future__ import annotations

import re
from dataclasses import dataclass

PIECE = re.compile(r"[A-Za-z]+(?:_[A-Za-z]+)*|\d+|\S")


@dataclass(frozen=True)
class Piece:
    """One piece of a name.

    Attributes:
        kind: "name", "number" or "sign".
        text: the piece, without its subscript; a word of several parts keeps its underscores.
        subscript: what stands below a name: "Q" of W_Q; empty if nothing.
    """

    kind: str
    text: str
    subscript: str = ""


def pieces(name: str) -> list[Piece]:
    """The name taken apart."""
    return [_piece(text) for text in PIECE.findall(name)]


def _piece(text: str) -> Piece:
    if text.isdigit():
        return Piece("number", text)
    if not text[0].isalpha():
        return Piece("sign", text)
    base, _, subscript = text.partition("_")
    is_word = (
        base.islower() and len(base) > 1
    )  # contribution_size is one word; W_Q and d_head have a subscript
    return Piece("name", text) if is_word else Piece("name", base, subscript)
