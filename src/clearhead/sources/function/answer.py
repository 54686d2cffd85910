"""What a person's function gave, and what can go wrong on the way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


class Trouble(Exception):
    """A question was not answered.

    Attributes:
        kind: "raises", "hangs", "shape", "kind" (what came back is no array of numbers) or "telling" (something about
            the function has to be told).
        own: whether it is what the person's own code says, by `raise` or `assert`.
    """

    def __init__(self, kind: str, says: str, own: bool = False) -> None:
        super().__init__(says)
        self.kind, self.own = kind, own


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
        place: which of the things it returned is the output; None where it returned one alone.
        disturbed: what else it changed that is not its own, in words; it was put back.
    """

    output: np.ndarray
    weights: np.ndarray | None
    dtype: str
    printed: bool = False
    changed: tuple[str, ...] = ()
    place: int | None = None
    disturbed: tuple[str, ...] = ()
