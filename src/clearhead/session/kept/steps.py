"""Numbers in whole steps: as exact as it says, and short."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

Precision = Literal["short", "float32"]
"""How exactly numbers of a capture are kept: in whole steps, or as float32 has them."""

PRECISIONS: tuple[Precision, ...] = ("short", "float32")

WEIGHT_STEPS = 10_000
"""Steps from 0 to 1 of a weight: four decimals."""

VECTOR_STEPS = 6_000
"""Steps from 0 to the largest number of a head's queries, keys or values: 13.6 bits with the sign."""


@dataclass(frozen=True, eq=False)
class Steps:
    """Numbers as whole numbers of steps.

    Attributes:
        whole: uint16 or int16.
        per: how many steps make 1.
    """

    whole: np.ndarray
    per: float

    @property
    def values(self) -> np.ndarray:
        """The numbers, float64."""
        return self.whole / self.per


def weights_in_steps(values: np.ndarray, precision: Precision) -> np.ndarray | Steps:
    """Numbers from 0 to 1; in float32 where they are to be, or are no such numbers (a weight may be set by hand)."""
    if precision == "float32" or not ((values >= 0) & (values <= 1)).all():
        return values.astype(np.float32)
    return Steps(np.rint(values * WEIGHT_STEPS).astype(np.uint16), WEIGHT_STEPS)


def vectors_in_steps(values: np.ndarray, precision: Precision) -> np.ndarray | Steps:
    """Numbers in steps of their largest; in float32 where they are to be, or where some are not finite."""
    largest = float(np.abs(values).max(initial=0.0))
    if precision == "float32" or not 0 < largest < np.inf:
        return values.astype(np.float32)
    per = VECTOR_STEPS / largest
    if not np.isfinite(per):  # so small that nothing is to be gained
        return values.astype(np.float32)
    return Steps(np.rint(values * per).astype(np.int16), per)


def numbers_of(kept: np.ndarray | Steps) -> np.ndarray:
    """The numbers as the page reads them, float64."""
    return kept.values if isinstance(kept, Steps) else np.asarray(kept, np.float64)
