"""What the checker found of a person's own attention, and the small example on which it shows."""

from __future__ import annotations

from typing import Literal, TypedDict

from clearhead.messages.recipes import QuantityRecipes
from clearhead.messages.walkthrough import Quantity


class AskReport(TypedDict):
    """What was found of the function that was checked?"""

    ask: Literal["report"]


class KnownMistake(TypedDict):
    """A mistake that the function makes: what it does, where that is met, and how it is usually mended."""

    name: str
    says: str
    seen: str
    mend: str


class Side(TypedDict):
    """The walkthrough of the function, or that of the reference.

    `recipes` are those of its quantities, by their names: null where only the numbers of a step are known, and of what
    is given. What quantities and recipes name are places in the reply's buffers. A quantity's `difference` is
    yours − right; where it is 0 the two say the same.
    """

    quantities: list[Quantity]
    recipes: dict[str, QuantityRecipes]


class ReportStep(TypedDict):
    """One step of both: its title, and the names of what it shows."""

    title: str
    quantities: list[str]


class SmallExample(TypedDict):
    """The smallest example found on which the numbers differ: both sides, step by step.

    Where no known mistake reproduces the function's numbers, its side has what it was given and its output. `step` is
    the first quantity that differs, `cell` the index of its cell that is furthest off, null where none differs.
    """

    says: str
    steps: list[ReportStep]
    yours: Side
    right: Side
    step: str
    cell: list[int] | None


class CheckReport(TypedDict):
    """The verdict on a function: "agrees", "differs", or "unasked" where it could not be asked.

    `possible` are other explanations that fit as well. `example` is null where nothing differs that a person would see.
    """

    kind: Literal["report"]
    outcome: Literal["agrees", "differs", "unasked"]
    verdict: str
    asked: str
    notes: list[str]
    possible: list[str]
    mistakes: list[KnownMistake]
    example: SmallExample | None
