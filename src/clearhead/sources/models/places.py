"""Which characters of the text each token covers.

Where the tokens' bytes, put together, are the text's, their places are counted, and exact. Where the tokenizer changed
the text first (lower case, accents, unknown words), its own offsets are taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clearhead.sources.models.pieces import Piece, utf8

Place = tuple[int, int] | None


def places(tokenizer: Any, ids: Sequence[int], found: Sequence[Piece], text: str) -> list[Place]:
    """For each token the (start, end) of its characters in the text; None for tokens that cover none of it.

    The ids may be of the beginning of the text only, or go on after it.

    Raises:
        ValueError: they are not those of the text.
    """
    own = _own_offsets(tokenizer, ids, text)
    marks = set(tokenizer.all_special_ids)
    outside = [number in marks and (own is None or own[at] is None) for at, number in enumerate(ids)]
    unsure = [own is None and number in marks for number in ids]
    counted = _counted(found, outside, unsure, text)
    if counted is not None and (own is None or _reach(counted) >= _reach(own)):
        return counted
    if own is not None:
        return _refined(own, found, text)
    if getattr(tokenizer, "is_fast", False):
        raise ValueError(
            "text: the ids are not those that the tokenizer makes of it; expected the text of these ids, or none"
        )
    lowered = text.lower()
    counted = _counted(found, outside, unsure, lowered) if len(lowered) == len(text) else None
    return counted or [None] * len(ids)


def _own_offsets(tokenizer: Any, ids: Sequence[int], text: str) -> list[Place] | None:
    """The tokenizer's own, if it has some and makes these ids of the text; None for tokens after the text."""
    if not getattr(tokenizer, "is_fast", False):
        return None
    for special in (True, False):
        made = tokenizer(text, add_special_tokens=special, return_offsets_mapping=True, verbose=False)
        numbers = list(made["input_ids"])
        shared = min(len(numbers), len(ids))
        if shared and numbers[:shared] == list(ids[:shared]):
            offsets = [(a, b) if b > a else None for a, b in made["offset_mapping"][:shared]]
            return offsets + [None] * (len(ids) - shared)
    return None


def _counted(
    found: Sequence[Piece], outside: Sequence[bool], unsure: Sequence[bool], text: str
) -> list[Place] | None:
    """By going through the text with the tokens' bytes; None if they are not the text's."""
    raw = utf8(text)
    character = np.cumsum((np.frombuffer(raw, np.uint8) & 0xC0) != 0x80) - 1  # of each byte
    at, placed = 0, list[Place]()
    for piece, skip, maybe in zip(found, outside, unsure, strict=True):
        if at == len(raw) or (skip and not (maybe and raw.startswith(piece.raw, at))) or not piece.raw:
            placed.append(None)
            continue
        step = _matched(piece.raw, raw, at)
        if step is None:
            return None
        start, at = step
        placed.append((int(character[start]), int(character[at - 1]) + 1) if at > start else None)
    for before in reversed(range(len(placed) - 1)):
        if found[before].part and not found[before].raw:  # the whole character came out with its last token
            placed[before] = placed[before + 1]
    return placed


def _reach(placed: Sequence[Place]) -> int:
    """Where the last of the places ends."""
    return max((place[1] for place in placed if place), default=0)


def _matched(piece: bytes, raw: bytes, at: int) -> tuple[int, int] | None:
    """Where the piece stands, if it comes next: as it is, after spaces, or without the space put before a text."""
    if raw.startswith(piece, at):
        return at, at + len(piece)
    after = at
    while raw[after : after + 1].isspace():
        after += 1
    if raw.startswith(piece, after):
        return after, after + len(piece)
    bare = piece.removeprefix(b" ")
    return (at, at + len(bare)) if bare != piece and raw.startswith(bare, at) else None


def _refined(own: Sequence[Place], found: Sequence[Piece], text: str) -> list[Place]:
    """The tokenizer's own offsets, with the spaces that belong to the tokens and without those that are not there."""
    refined: list[Place] = []
    before = 0
    for place, piece, following in zip(own, found, [*own[1:], None], strict=True):
        if place is None:
            refined.append(None)
            continue
        start, end = place
        if piece.raw == b" " and following is not None and following[0] < end:
            refined.append(None)  # a space put before the text; its place is that of what follows
            continue
        if piece.raw.startswith(b" ") and start - 1 >= before and text[start - 1].isspace():
            start -= 1
        refined.append((start, end))
        before = max(before, end)
    return refined
