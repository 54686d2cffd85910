"""What a person's function gave, and what can go wrong on the way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


class Trouble(Exception):
    """A question was not answered.

    Attributes:
        kind: "raises", "hangs", "shape", "kind" (what came back is no array of numbers) or "telling" (something about
            the function has to be told).
    """

    def __init__(self, kind: str, says: str) -> None:
        super().__init__(says)
        self.kind = kind


@dataclass(frozen=True)
class Answer:
    """What came back from one call.

    Attributes:
        output: float64, in the shape in which the reference has it.
        weights: (batch, heads, queries, keys) if the function returned them, (batch, queries, keys) where it has one
            for all heads; or None.
        dtype: the type that came back, such as "float32".
        printed: whether it wrote something to the standard output.
        changed: the names of the inputs that it changed in place.
    """

    output: np.ndarray
    weights: np.ndarray | None
    dtype: str
    printed: bool = False
    changed: tuple[str, ...] = ()
