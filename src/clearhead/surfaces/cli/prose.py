"""Paragraphs and long lines of arithmetic, folded to the width of the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from clearhead.surfaces.cli.output import READABLE


def wrapped(
    text: str | Text, console: Console, *, indent: int = 0, hanging: int = 0, style: str = ""
) -> list[Text]:
    """Lines of at most the terminal's width; those after the first are indented by `hanging` more."""
    body = Text(text, style) if isinstance(text, str) else text
    room = max(20, min(console.width, READABLE if console.is_terminal else console.width) - indent - hanging)
    lines = body.wrap(console, room)
    for line in lines:
        line.rstrip()
    return [Text(" " * (indent + (hanging if number else 0))) + line for number, line in enumerate(lines)]
