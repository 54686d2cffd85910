"""How a word is written: as text, with the characters nobody can see made visible.

Words come from files and links that a person may have been given: one could turn the direction of writing, or hold the
codes that clear a terminal. The page follows the same rules; tests/golden/tokens.json holds both to them.
"""

from __future__ import annotations

import unicodedata

NAMED = {"\n": "↵", "\r": "␍", "\t": "⇥", "\u00a0": "⍽"}
JOINERS = "\u200c\u200d"
"""They belong to ordinary words and emoji: writing them as a code would break what they join."""

INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories: control, format, surrogate, line and paragraph separator."""


def visible_token(token: str) -> str:
    """The token with spaces at its ends, line breaks, control and direction characters as visible marks.

    An empty token is "∅". The rest is left as it is.
    """
    if not token:
        return "∅"
    inner = token.strip(" ")
    left = len(token) - len(token.lstrip(" "))
    right = len(token) - left - len(inner)
    return "␣" * left + "".join(map(_visible, inner)) + "␣" * right


def _visible(character: str) -> str:
    if character in NAMED:
        return NAMED[character]
    if unicodedata.category(character) not in INVISIBLE or character in JOINERS:
        return character
    return f"‹U+{ord(character):04X}›"
