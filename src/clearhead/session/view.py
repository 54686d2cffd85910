"""What an answer is, and the reading of a message's fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clearhead.messages import ViewData
from clearhead.sources.worked import ExampleError
from clearhead.sources.worked.matrices import is_text


@dataclass(frozen=True)
class View:
    """An answer: JSON-able data, and the arrays that the data names by their place."""

    data: ViewData
    buffers: list[np.ndarray] = field(default_factory=list)


class Unfinished(Exception):
    """What was asked about is not there yet; the view says how far it is."""

    def __init__(self, view: View) -> None:
        super().__init__()
        self.view = view


def mistake(message: str, where: str) -> View:
    """The answer to a message that cannot be answered: one sentence, and the field it is about."""
    return View({"kind": "error", "message": message, "where": where})


def one_of(message: Mapping[str, Any], key: str, choices: Any) -> Any:
    """The field, if it is one of the choices."""
    value = message.get(key)
    if isinstance(value, str | int) and not isinstance(value, bool) and value in choices:
        return value
    raise ExampleError(key, f"{value!r} is not known; expected one of {', '.join(map(str, choices))}")


def text(message: Mapping[str, Any], key: str) -> str:
    """The field, if it is text."""
    value = message.get(key)
    if is_text(value):
        return str(value)
    raise ExampleError(key, f"expected text, got {value!r}")


def whole(message: Mapping[str, Any], key: str, least: int, most: int) -> int:
    """The field, if it is a whole number within its bounds."""
    value = message.get(key)
    if type(value) is int and least <= value <= most:
        return value
    raise ExampleError(key, f"expected a whole number from {least} to {most}, got {value!r}")


def table(message: Mapping[str, Any], key: str, fields: Iterable[str]) -> Mapping[str, Any]:
    """The field, if it is an object with exactly these fields."""
    value, known = message.get(key), tuple(fields)
    if isinstance(value, Mapping) and set(value) == set(known):
        return value
    raise ExampleError(key, f"expected an object with {', '.join(known)}, got {value!r}")


def flag(message: Mapping[str, Any], key: str) -> bool:
    """The field, if it is true or false."""
    value = message.get(key)
    if isinstance(value, bool):
        return value
    raise ExampleError(key, f"expected true or false, got {value!r}")


def sentence(note: str) -> str:
    """A note of the libraries as the page says it, with a capital and a full stop."""
    return note[:1].upper() + note[1:].rstrip(".") + "."
