"""What counts as equal: the project's one rule for comparing float64 results that were rounded in a different order."""

from __future__ import annotations

import numpy as np

ULPS = 2
"""Units in the last place by which two evaluations of one cell may differ, see `allowed_difference`."""


def allowed_difference(magnitude: float, terms: int = 1) -> float:
    """The largest difference that rounding alone explains.

    Two orders of adding n terms differ by at most about n units in the last place of the sum of the terms' sizes
    (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 4.2); in practice by a few.

    Args:
        magnitude: the sum of the absolute terms (`core.magnitude`).
        terms: how many numbers are added.
    """
    smallest = float(np.finfo(np.float64).tiny)
    return ULPS * max(1.0, terms**0.5) * float(np.finfo(np.float64).eps) * max(magnitude, smallest)
