"""The tokens of a text as a person reads them, for any tokenizer of transformers, a person's own list, or none.

A piece that goes on with a word, where its vocabulary marks that (WordPiece's "##ing"), is shown as "…ing"; where a
vocabulary marks the beginnings instead ("Ġman", "▁man"), they are shown with their space, " man". An id that the
tokenizer does not have is shown as "#17", a part of a character whose bytes a tokenizer keeps to itself as "⟨#17⟩".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearhead.sources.models.pieces import Piece, pieces
from clearhead.sources.models.places import Place, places
from clearhead.trace.capture.token import Token, shown, shown_bytes

CONTINUES = "…"


@dataclass(frozen=True)
class Encoded:
    """Texts as a model takes them: one row for each text, all of one length.

    Attributes:
        ids: (text, position), int64.
        mask: (text, position), int64: 1 for what is to be attended to, 0 for padding.
        tokens: for each text, the tokens of its row, padding included.
    """

    ids: np.ndarray
    mask: np.ndarray
    tokens: tuple[tuple[Token, ...], ...]

    @property
    def offsets(self) -> tuple[tuple[Place, ...], ...]:
        """For each text and position the (start, end) of the characters that it covers, or None."""
        return tuple(tuple(_place(token) for token in row) for row in self.tokens)


def read_tokens(tokenizer: Any, ids: Any, text: str | None = None, *, mask: Any = None) -> tuple[Token, ...]:
    """The tokens of one sequence.

    Args:
        tokenizer: any of transformers', fast or slow; None shows the ids.
        ids: one sequence of whole numbers: a list, an array or a tensor.
        text: what the ids were made of, for the places in it. They may be of its beginning only, or go on after it.
        mask: for each id 1, or 0 where it is padding. Without it, padding is what stands at either end and has an id
            that the tokenizer uses for nothing else.

    Raises:
        ValueError: the ids or the mask are no such sequence, or the ids are not those of the text.
    """
    numbers = _numbers(ids, "ids")
    padding = _padding(tokenizer, numbers, mask)
    if tokenizer is None:
        listed = zip(numbers, padding, strict=True)
        return tuple(Token(f"#{number}", number, None, None, padding=pad) for number, pad in listed)
    own = [number for number, pad in zip(numbers, padding, strict=True) if not pad]
    found = pieces(tokenizer, numbers)
    standing = [piece for piece, pad in zip(found, padding, strict=True) if not pad]
    where = iter(places(tokenizer, own, standing, _checked(text)) if text is not None else [None] * len(own))
    marks = _marks(tokenizer)
    return tuple(
        _token(number, piece, None if pad else next(where), number in marks, pad)
        for number, piece, pad in zip(numbers, found, padding, strict=True)
    )


def encode(
    tokenizer: Any,
    text: str | Sequence[str],
    *,
    special_tokens: bool = True,
    padding_side: str | None = None,
) -> Encoded:
    """A text, or several as a batch, as ids. Nothing is cut off.

    Args:
        tokenizer: any of transformers'.
        text: one text or several.
        special_tokens: with the marks that the tokenizer puts around a text.
        padding_side: "left" or "right"; as the tokenizer has it by default. A tokenizer without a padding token
            (GPT-2's) pads with its end mark; the mask says what is padding.

    Raises:
        ValueError: no tokenizer, no text, a text of which nothing is left as tokens, or another padding side.
    """
    if tokenizer is None:
        raise ValueError(
            "tokenizer: None cannot read a text; expected a tokenizer, or ids in place of the text"
        )
    texts = _texts(text)
    side = padding_side or getattr(tokenizer, "padding_side", "right")
    if side not in ("left", "right"):
        raise ValueError(f"padding_side: expected 'left' or 'right', got {side!r}")
    rows = [_row(tokenizer, one, special_tokens) for one in texts]
    length, filler = max(map(len, rows)), _filler(tokenizer)
    before = [length - len(row) if side == "left" else 0 for row in rows]
    ids, mask = (np.full((len(rows), length), value, np.int64) for value in (filler, 0))
    for at, (row, skip) in enumerate(zip(rows, before, strict=True)):
        ids[at, skip : skip + len(row)] = row
        mask[at, skip : skip + len(row)] = 1
    read = zip(ids, texts, mask, strict=True)
    return Encoded(ids, mask, tuple(read_tokens(tokenizer, row, one, mask=m) for row, one, m in read))


def as_tokens(strings: Sequence[str], ids: Any = None, *, length: int | None = None) -> tuple[Token, ...]:
    """A person's own list of token strings as tokens; an empty string is shown by its place, as "#3".

    Args:
        strings: one for each position.
        ids: the ids at these positions, where there are some.
        length: how many positions there are; that of the ids by default.

    Raises:
        ValueError: it is no list of strings, or not one for each position.
    """
    if (
        isinstance(strings, str)
        or not isinstance(strings, Sequence)
        or not all(isinstance(string, str) for string in strings)
    ):
        raise ValueError("tokens: expected a list of strings, one for each position")
    numbers = [-1] * len(strings) if ids is None else _numbers(ids, "ids")
    expected = length if length is not None else len(numbers)
    if len(strings) != expected:
        raise ValueError(f"tokens: {len(strings)} strings for {expected} positions; expected one for each")
    listed = enumerate(zip(strings, numbers, strict=True))
    return tuple(Token(shown(string) or f"#{at}", number, None, None) for at, (string, number) in listed)


def _token(number: int, piece: Piece, place: Place, special: bool, padding: bool) -> Token:
    text, part = shown_bytes(piece.raw)
    if piece.continues:
        text = CONTINUES + text
    start, end = place or (None, None)
    unread = f"⟨#{number}⟩" if piece.part else f"#{number}"
    return Token(text or unread, number, start, end, special, padding, part or piece.part)


def _place(token: Token) -> Place:
    return None if token.start is None or token.end is None else (token.start, token.end)


def _marks(tokenizer: Any) -> set[int]:
    """The ids that are marks. "Unknown" alone is none: it stands for a piece of the text."""
    ids = set(tokenizer.all_special_ids)
    others = {number for name, number in _named_ids(tokenizer) if name != "unk_token"}
    unknown = tokenizer.unk_token_id
    return ids - {unknown} if unknown not in others else ids


def _named_ids(tokenizer: Any) -> list[tuple[str, int | None]]:
    names = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
    return [(name, getattr(tokenizer, f"{name}_id", None)) for name in names]


def _padding(tokenizer: Any, numbers: list[int], mask: Any) -> list[bool]:
    if mask is not None:
        kept = _numbers(mask, "mask")
        if len(kept) != len(numbers):
            raise ValueError(f"mask: {len(kept)} entries for {len(numbers)} ids; expected one for each")
        return [not keep for keep in kept]
    filler = None if tokenizer is None else tokenizer.pad_token_id
    if filler is None or any(
        number == filler for name, number in _named_ids(tokenizer) if name != "pad_token"
    ):
        return [False] * len(numbers)
    inside = [at for at, number in enumerate(numbers) if number != filler]
    first, last = (inside[0], inside[-1]) if inside else (len(numbers), len(numbers))
    return [at < first or at > last for at in range(len(numbers))]


def _numbers(values: Any, what: str) -> list[int]:
    """One sequence of whole numbers from 0, as a list, from whatever holds it."""
    shape = getattr(values, "shape", None)
    if shape is not None and len(shape) != 1:
        raise ValueError(f"{what}: expected one sequence, got an array of shape {tuple(shape)}")
    listed = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(listed, str) or not isinstance(listed, Sequence):
        raise ValueError(f"{what}: expected one sequence of whole numbers, got {type(values).__name__}")
    for at, number in enumerate(listed):
        if not isinstance(number, int | np.integer) or number < 0:
            raise ValueError(f"{what}: expected whole numbers from 0, got {number!r} at position {at}")
    return [int(number) for number in listed]


def _texts(text: str | Sequence[str]) -> list[str]:
    texts = [text] if isinstance(text, str) else list(text) if isinstance(text, Sequence) else [text]
    if not texts:
        raise ValueError("text: got an empty list; expected at least one text")
    return [_checked(one) for one in texts]


def _checked(text: Any) -> str:
    """A text that can be written in UTF-8."""
    if not isinstance(text, str):
        raise ValueError(f"text: expected a string or a list of strings, got {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        stray = f"U+{ord(text[error.start]):04X}"
        raise ValueError(
            f"text: {stray} at position {error.start} is half a character; expected text"
        ) from None
    return text


def _row(tokenizer: Any, text: str, special_tokens: bool) -> list[int]:
    row = tokenizer(text, add_special_tokens=special_tokens, verbose=False)["input_ids"]
    if not row:
        raise ValueError(f"text: {text[:40]!r} has no tokens; expected at least one")
    return [int(number) for number in row]


def _filler(tokenizer: Any) -> int:
    candidates = (tokenizer.pad_token_id, tokenizer.eos_token_id, 0)
    return next(number for number in candidates if number is not None)
