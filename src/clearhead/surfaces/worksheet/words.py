"""Words on paper: untrusted text, with what cannot be seen or drawn made visible, and cut where it is too long."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from clearhead.trace.notation.tokens import visible_token

NUMBERED = re.compile(r"‹U\+[0-9A-F]+›|.", re.DOTALL)
"""One character, or the number of one."""


def plain_text(text: str, lacking: Collection[str] = ()) -> str:
    """The text with characters that no font here has as their numbers: ‹U+4E2D›."""
    return "".join(f"‹U+{ord(one):04X}›" if one in lacking else one for one in text)


def one_line(text: str) -> str:
    """A title or a sentence that a person may have been given: on one line, what cannot be seen made visible."""
    return visible_token(text.strip()) if text.strip() else ""


def cut(token: str, longest: int, lacking: Collection[str] = ()) -> str:
    """A token, what cannot be seen or drawn in it made visible, and at most so many columns wide.

    A character that is written as its number is kept whole or not at all.
    """
    head = token[: longest + 2]  # of 10,000 characters nobody needs the rest
    shown = [plain_text(one, lacking) for one in NUMBERED.findall(visible_token(head))]
    if len(head) == len(token) and sum(map(_width, shown)) <= longest:
        return "".join(shown)
    kept = ""
    for sign in shown:
        if _width(kept + sign) > longest - 1:
            break
        kept += sign
    return kept.rstrip() + "…"


def _width(text: str) -> int:
    """Columns: a character of East Asian writing takes two."""
    return sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)
