"""Reading the name of a cell, such as weights[0,3,1]."""

from __future__ import annotations

import re

CELL = re.compile(r"\s*([A-Za-z_]\w*)\s*\[\s*(-?\d{1,9}(?:\s*,\s*-?\d{1,9})*)\s*\]\s*", re.ASCII)


def parse_cell(text: str) -> tuple[str, tuple[int, ...]]:
    """The quantity and the indices.

    Raises:
        ValueError: the text has another form; the message says which was expected.
    """
    match = CELL.fullmatch(text)
    if match is None:
        raise ValueError(
            f"cell: {text!r} is no cell; expected a quantity and its indices, such as 'weights[0,3,1]'"
        )
    return match[1], tuple(int(part) for part in match[2].split(","))
