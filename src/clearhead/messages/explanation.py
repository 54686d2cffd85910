"""The view of one cell."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from clearhead.messages.arithmetic import Arithmetic
from clearhead.messages.values import Relation

MathML = list[Any]
"""A formula as nested arrays: [tag, attributes?, ...children]; text only as a child. Recursive, hence Any."""


class CellRef(TypedDict):
    """One cell of one quantity."""

    quantity: str
    index: list[int]


class Feed(TypedDict):
    """Cells of one quantity that an opened cell has a part in; null stands for every index along that axis."""

    quantity: str
    cells: list[list[int | None]]


class Term(TypedDict):
    """One term of a sum, worked out."""

    label: str
    arithmetic: Arithmetic
    relation: Relation
    value: str


class Total(TypedDict):
    """What the terms come to."""

    relation: Relation
    text: str


class More(TypedDict):
    """Of many terms, sorted by size: how many come first, how many more there are, and what those add up to.

    `zeros` of those are exactly 0, as the terms of keys are that a mask hides.
    """

    first: int
    count: int
    zeros: int
    text: str


class Line(TypedDict):
    """One line of arithmetic, with its relation to the line before."""

    relation: Relation
    arithmetic: Arithmetic


class Explanation(TypedDict):
    """One cell with its arithmetic, where it came from and where it goes."""

    kind: Literal["explanation"]
    quantity: str
    index: list[int]
    label: str
    place: str
    value: str
    full: str
    formula: MathML | None
    terms: list[Term]
    more: NotRequired[More]
    total: NotRequired[Total]
    lines: list[Line]
    note: NotRequired[str]
    sources: list[CellRef]
    feeds: list[Feed]
    spoken: str
    text: str
    latex: str
