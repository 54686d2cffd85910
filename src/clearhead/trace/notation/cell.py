"""Reading the name of a cell: weights[0,3,1] or, without brackets, weights 0 3 1."""

from __future__ import annotations

import re

NAME = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?"
NUMBER = r"-?\d{1,9}"
IN_BRACKETS = re.compile(rf"\s*({NAME})\s*\[\s*({NUMBER}(?:\s*,\s*{NUMBER})*)?\s*\]\s*", re.ASCII)
BARE = re.compile(rf"\s*({NAME})((?:\s+{NUMBER})*)\s*", re.ASCII)


def parse_cell(text: str) -> tuple[str, tuple[int, ...]]:
    """The quantity and the indices; a quantity that is a single number, such as loss, has none.

    Raises:
        ValueError: the text has another form; the message says which was expected.
    """
    match = IN_BRACKETS.fullmatch(text) or BARE.fullmatch(text)
    if match is None:
        raise ValueError(
            f"cell: {text!r} is no cell; expected a quantity and its indices, such as 'weights[0,3,1]' or "
            "weights 0 3 1"
        )
    return match[1], tuple(int(part) for part in re.findall(NUMBER, match[2] or ""))


def layer_of(name: str) -> int:
    """The layer that a full name belongs to: 1 of "layer1.weights"; 0 where it names none."""
    found = re.match(r"layer(\d{1,9})\.", name, re.ASCII)
    return int(found[1]) if found else 0
