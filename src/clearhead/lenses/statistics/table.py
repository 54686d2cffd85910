"""The statistics of heads as entries and as a table."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import SupportsIndex, overload

from clearhead.lenses.statistics.scores import SCORES


@dataclass(frozen=True)
class HeadStatistics:
    """One head in numbers; None where a score is not defined. What they mean: see `clearhead.head_statistics`.

    Attributes:
        tower: the part of the model; "" if there is one alone.
        layer: the layer's number there.
        head: the head's number.
        entropy: in bits.
        spread: the entropy as a share of the largest possible, 0 to 1.
        first, previous, next, induction, duplicate, sink: shares, 0 to 1.
        distance: in tokens.
    """

    tower: str
    layer: int
    head: int
    entropy: float | None = None
    spread: float | None = None
    first: float | None = None
    previous: float | None = None
    next: float | None = None
    induction: float | None = None
    duplicate: float | None = None
    distance: float | None = None
    sink: float | None = None

    @property
    def label(self) -> str:
        """How the head is called: "L3H1", or "encoder.L3H1" where there are several towers."""
        return f"{self.tower}.L{self.layer}H{self.head}" if self.tower else f"L{self.layer}H{self.head}"


class HeadTable(tuple[HeadStatistics, ...]):
    """The statistics of many heads, in the order of the layers; `str` is a table."""

    __slots__ = ()

    def by(self, score: str, *, descending: bool = True) -> HeadTable:
        """The same heads, sorted by a score, the largest first; those without it last.

        Raises:
            ValueError: there is no such score; the message names those there are.
        """
        if score not in SCORES:
            raise ValueError(f"score: {score!r} is none; expected one of {', '.join(SCORES)}")
        sign = -1 if descending else 1

        def place(head: HeadStatistics) -> float:
            value: float | None = getattr(head, score)
            return math.inf if value is None else sign * value

        return HeadTable(sorted(self, key=place))

    @property
    def scores(self) -> tuple[str, ...]:
        """The names of those scores that some head has."""
        return tuple(name for name in SCORES if any(getattr(head, name) is not None for head in self))

    @overload
    def __getitem__(self, place: SupportsIndex) -> HeadStatistics: ...
    @overload
    def __getitem__(self, place: slice) -> HeadTable: ...
    def __getitem__(self, place: SupportsIndex | slice) -> HeadStatistics | HeadTable:
        """One head, or some as a table."""
        found: HeadStatistics | Iterable[HeadStatistics] = super().__getitem__(place)
        return found if isinstance(found, HeadStatistics) else HeadTable(found)

    def __str__(self) -> str:
        """A row a head, a column a score."""
        names = self.scores
        rows = [["head", *names]]
        rows += [[head.label, *(_shown(getattr(head, name)) for name in names)] for head in self]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
        )


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
