"""A token of a captured text: what is shown of it, its number in the vocabulary, and what it covers of the text.

How characters are shown: a token's text is what it stands for, its leading space included (" man"), with signs in the
place of what the eye cannot see. A line break is ⏎, a carriage return ␍, a tab ⇥; a token of nothing but spaces
shows each as ␣. A mark with no letter under it sits on ◌. Other characters without a picture of their own are shown
by number, as ⟨U+200B⟩; bytes that are only part of a character as ⟨E2 82⟩. So no token is an empty string, and none
breaks a line.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any

SIGNS = {"\n": "⏎", "\r": "␍", "\t": "⇥"}
"""Characters that are always shown by a sign: as they are, they would break or bend the line."""

DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Unicode's marks of writing direction; one of them would turn around whatever is drawn after it."""

BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols, by category, whose picture is empty: the Hangul fillers and the Braille cell without dots."""

LOOSE = re.compile("[\udc80-\udcff]+")
"""How Python's `surrogateescape` leaves bytes that are no UTF-8."""


@dataclass(frozen=True)
class Token:
    """One token.

    Attributes:
        text: what is shown, never empty; see this module's first lines for the signs.
        id: its number in the vocabulary; -1 where it is not known.
        start: the first character that it covers of the person's text, counted from 0; None where it covers none.
        end: one past the last character that it covers; None where it covers none.
        special: a mark such as the beginning of a sequence, not a piece of language.
        padding: only there to make the sequences of a batch equally long.
        part: it is, at least at one end, only part of a character; start and end then include that whole character.
    """

    text: str
    id: int
    start: int | None
    end: int | None
    special: bool = False
    padding: bool = False
    part: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The token as JSON can hold it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, entry: Any) -> Token:
        """The token that `as_dict` wrote.

        Raises:
            ValueError: the entry is no token.
        """
        names = [part.name for part in fields(cls)]
        if not isinstance(entry, dict) or set(entry) != set(names):
            raise ValueError(f"{entry!r} is no token; expected a table of {', '.join(names)}")
        start, end = entry["start"], entry["end"]
        covers = start is end is None or (type(start) is type(end) is int and 0 <= start < end)
        flags = all(type(entry[name]) is bool for name in ("special", "padding", "part"))
        if not (isinstance(entry["text"], str) and entry["text"] and type(entry["id"]) is int):
            raise ValueError(
                f"{entry!r} is no token; expected a text that is not empty and a whole number as id"
            )
        if not (covers and flags):
            raise ValueError(
                f"{entry!r} is no token; expected 0 ≤ start < end or neither, and true or false for the rest"
            )
        return cls(**entry)


def padded(tokens: Iterable[Token]) -> list[int]:
    """The places of those that are padding."""
    return [place for place, token in enumerate(tokens) if token.padding]


def shown(text: str) -> str:
    """The text with signs for what cannot be seen, so that it is one line and, unless it was empty, not blank."""
    signed = "".join(map(_signed, text))
    if all(map(_invisible, signed)):
        return "".join(map(_laid_open, signed))
    return f"◌{signed}" if _is_mark(signed[0]) else signed


def shown_bytes(raw: bytes) -> tuple[str, bool]:
    """Bytes as text, in UTF-8, and whether some of them are only part of a character, which are shown as ⟨E2 82⟩."""
    text = raw.decode("utf-8", "surrogateescape")
    readable = LOOSE.sub(lambda run: f"⟨{run[0].encode('utf-8', 'surrogateescape').hex(' ').upper()}⟩", text)
    return shown(readable), readable != text


def _signed(character: str) -> str:
    if character in SIGNS:
        return SIGNS[character]
    hidden = unicodedata.category(character) in ("Cc", "Co", "Cs", "Zl", "Zp") or character in DIRECTIONS
    return _numbered(character) if hidden else character


def _is_mark(character: str) -> bool:
    """An accent or the like, which is drawn over the letter before it."""
    return unicodedata.category(character) in ("Mn", "Me")


def _invisible(character: str) -> bool:
    return (
        character.isspace()
        or character in BLANK
        or unicodedata.category(character) == "Cf"
        or _is_mark(character)
    )


def _laid_open(character: str) -> str:
    if character == " ":
        return "␣"
    return f"◌{character}" if _is_mark(character) else _numbered(character)


def _numbered(character: str) -> str:
    return f"⟨U+{ord(character):04X}⟩"
