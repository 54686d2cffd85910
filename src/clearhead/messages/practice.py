"""Practice: a person predicts a number and is told how near it is, and which step went wrong."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from clearhead.messages.state import State
from clearhead.messages.values import Digits

Verdict = Literal["right", "nearly", "mistake", "unknown"]
"""Right; right up to rounding; what a known mistake gives; none of these."""


class AskPractice(TypedDict):
    """Is this the number of that cell? `typed` is what the person wrote: 0.41, −2, 1/3, 41%, −∞."""

    ask: Literal["practice"]
    state: State
    quantity: str
    index: list[int]
    typed: str
    digits: NotRequired[Digits]


class PracticeMistake(TypedDict):
    """A mistake that gives the number that was typed.

    `step` is the quantity that is made otherwise by it, `value` what the cell then comes to.
    """

    id: str
    step: str
    says: str
    value: str


class Practice(TypedDict):
    """The verdict on a predicted number, in a word and in one sentence; `value` is there once it is known."""

    kind: Literal["practice"]
    quantity: str
    index: list[int]
    label: str
    typed: str
    verdict: Verdict
    says: str
    mistakes: list[PracticeMistake]
    value: NotRequired[str]
