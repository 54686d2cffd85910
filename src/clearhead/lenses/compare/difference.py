"""The difference of one quantity in two traces, cell by cell."""

from __future__ import annotations

import numpy as np

from clearhead.trace.quantity import Quantity


def difference(now: Quantity, before: Quantity | None) -> np.ndarray | None:
    """now − before, the shape of both; None where the shapes differ or `before` is missing.

    Two masked cells (−∞ both) do not differ: 0. A cell that became masked differs by −∞, one that was by +∞.
    """
    if before is None or before.shape != now.shape or before.origin != now.origin:
        return None
    same = now.values == before.values
    with np.errstate(invalid="ignore"):  # −∞ − −∞, which `same` answers
        return np.where(same, 0.0, now.values - before.values)
