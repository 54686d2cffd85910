"""Positions that are the patches of a picture."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Grid:
    """Which positions of a sequence are patches of a picture: `offset` to `offset + rows * columns`, row by row.

    Attributes:
        rows: patches from the top to the bottom.
        columns: patches from the left to the right.
        offset: the position of the patch at the top left; before it stand marks such as the class token.
    """

    rows: int
    columns: int
    offset: int = 0

    def place(self, position: int) -> tuple[int, int] | None:
        """The row and the column of a position's patch, counted from 0; None if it is no patch."""
        number = position - self.offset
        return divmod(number, self.columns) if 0 <= number < self.rows * self.columns else None
