"""Words on paper: untrusted text, with what cannot be seen or drawn made visible, and cut where it is too long."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection

from clearhead.trace.notation.tokens import visible_token


def plain_text(text: str, lacking: Collection[str] = ()) -> str:
    """The text with characters that no font here has as their numbers: ‹U+4E2D›."""
    return "".join(f"‹U+{ord(one):04X}›" if one in lacking else one for one in text)


def one_line(text: str) -> str:
    """A title or a sentence that a person may have been given: on one line, what cannot be seen made visible."""
    return visible_token(text.strip()) if text.strip() else ""


def cut(token: str, longest: int) -> str:
    """A token, what cannot be seen in it made visible, and at most so many columns wide."""
    shown = visible_token(token[: longest + 2])  # of 10,000 characters nobody needs the rest
    if len(token) <= longest + 2 and _width(shown) <= longest:
        return shown
    kept = ""
    for character in shown:
        if _width(kept + character) > longest - 1:
            break
        kept += character
    return kept.rstrip() + "…"


def _width(text: str) -> int:
    """Columns: a character of East Asian writing takes two."""
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)
