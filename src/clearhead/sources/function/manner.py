"""How a function is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MEANINGS = {
    "seen": "True where a key may be seen",
    "hidden": "True where a key is hidden",
    "added": "0 where a key may be seen and -inf where it is hidden, added to the scores",
    "ones": "1 where a key may be seen and 0 where it is hidden",
}
"""What a mask that is handed to a function can mean."""

MASK_AXES = ("full", "batch", "square", "every")
"""(batch, heads or 1, queries, keys) as far as the layout has them; (batch, queries, keys); (queries, keys); and as the
first, but each head has its own, as where a function of one head is mapped over heads."""


@dataclass(frozen=True)
class Manner:
    """How a function is asked.

    Attributes:
        library: one of `libraries.LIBRARIES`.
        dtype: the type of the numbers it is given.
        layout: one of `layouts.LAYOUTS`.
        meaning: one of `MEANINGS`, for a function that takes a mask.
        mask_axes: one of `MASK_AXES`.
        device: a PyTorch device.
        order: one of `lying.ORDERS`, for weights that are arguments.
        place: which of the things that it returns is the output, where it returns several and that is known.
    """

    library: str
    dtype: str
    layout: str
    meaning: str = "seen"
    mask_axes: str = "full"
    device: Any = None
    order: str = "in, out"
    place: int | None = None
