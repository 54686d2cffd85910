"""Tokens that stand for a picture, a film or a sound within a text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clearhead.sources.models.usable import setting
from clearhead.trace.capture.token import Token

KINDS = {
    "image": ("image_token_id", "image_token_index"),
    "video": ("video_token_id", "video_token_index"),
    "audio": ("audio_token_id", "audio_token_index"),
}
"""The settings that name the id of each."""


def placeholders(config: Any) -> dict[int, str]:
    """The ids that stand for something else than language, and for what."""
    found = {}
    for kind, names in KINDS.items():
        number = setting(config, *names)
        if isinstance(number, int):
            found[number] = kind
    return found


def marked(model: Any, rows: tuple[tuple[Token, ...], ...]) -> tuple[tuple[Token, ...], ...]:
    """The rows with such tokens as special ones; where no tokenizer says how they read, by their kind."""
    kinds = placeholders(getattr(model, "config", None))
    if not kinds:
        return rows
    return tuple(tuple(_marked(token, kinds) for token in row) for row in rows)


def _marked(token: Token, kinds: dict[int, str]) -> Token:
    if token.id not in kinds:
        return token
    text = f"<{kinds[token.id]}>" if token.text in (f"#{token.id}", f"⟨#{token.id}⟩") else token.text
    return replace(token, text=text, special=True)
