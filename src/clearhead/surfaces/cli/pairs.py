"""Options that are given several times, each a name and what it stands for: `--roles a=Q --roles b=K`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

import typer


def pairs(option: str, given: Iterable[str], read: Callable[[str], Any] = str) -> dict[str, Any]:
    """What stands for each name.

    Args:
        option: what it is called on the command line.
        given: each "name=value"; the first "=" counts.
        read: makes the value of its text.

    Raises:
        typer.BadParameter: one is no such pair, or a name is given twice.
    """
    made: dict[str, Any] = {}
    for one in given:
        name, sign, value = (part.strip() for part in one.partition("="))
        if not (name and sign and value):
            raise typer.BadParameter(f"{option}: {one!r} is no pair; expected such as name=value")
        if name in made:
            raise typer.BadParameter(f"{option}: {name!r} is given twice; expected once")
        made[name] = read(value)
    return made


def literal(text: str) -> Any:
    """The number, word, list ... that Python reads in it; the text itself where it reads none."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
