"""Reading the address of a captured model's cell: L3H1.weights[7,2], with a tower before it where there are several."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clearhead.trace.notation.cell import parse_cell

HEAD = re.compile(r"\s*(?:(\S+)\.)?L(\d{1,9})H(\d{1,9})\.(.*)", re.ASCII | re.DOTALL)


@dataclass(frozen=True)
class Address:
    """One cell of one head.

    Attributes:
        tower: the part of the model, or None where the main one is meant.
        layer: the number of the layer in it.
        head: the number of the head.
        quantity: what is asked of the head, such as "weights".
        index: the cell's place.
    """

    tower: str | None
    layer: int
    head: int
    quantity: str
    index: tuple[int, ...]


def parse_head(text: str) -> tuple[str | None, int, int, str]:
    """The tower, the layer and the head that a text begins with, and what comes after.

    Raises:
        ValueError: it begins with none; the message says what was expected.
    """
    match = HEAD.fullmatch(text)
    if match is None:
        raise ValueError(
            f"quantity: {text!r} does not say of which head; expected layer, head and a quantity, such as "
            "L3H1.weights, or encoder.L3H1.weights where there are several towers"
        )
    return match[1], int(match[2]), int(match[3]), match[4].strip()


def parse_address(text: str) -> Address:
    """The parts of an address.

    Raises:
        ValueError: the text has another form; the message says which was expected.
    """
    match = HEAD.fullmatch(text)
    try:
        if match is None:
            raise ValueError
        quantity, index = parse_cell(match[4])
    except ValueError:
        raise ValueError(
            f"cell: {text!r} is no cell of a capture; expected layer, head, a quantity and its indices, such as "
            "'L3H1.weights[7,2]', or 'encoder.L3H1.weights[7,2]' where there are several towers"
        ) from None
    return Address(match[1], int(match[2]), int(match[3]), quantity, index)
