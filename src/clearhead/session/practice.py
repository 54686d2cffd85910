"""Practice: the verdict on a number that a person predicted for a cell of an example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clearhead.lenses.practice import practice as judged
from clearhead.session.states import States
from clearhead.session.view import View, one_of, text
from clearhead.session.walkthrough import cell_of
from clearhead.sources.worked import ExampleError
from clearhead.trace.notation.numbers import DEFAULT_DIGITS, DIGITS


def practice(states: States, message: Mapping[str, Any]) -> View:
    """Right, nearly, which step went wrong, or where to begin."""
    trace, name, index = cell_of(states, message)
    digits = one_of(message, "digits", DIGITS) if "digits" in message else DEFAULT_DIGITS
    typed = text(message, "typed")
    try:
        return View(judged(trace, name, index, typed, digits))
    except ValueError as error:
        raise ExampleError("typed", str(error)) from None
