"""ReLU: what is above 0 goes through, the rest becomes 0."""

from __future__ import annotations

import numpy as np

from clearhead.core.curves.base import ONE, Curve
from clearhead.core.expression import Cases, Expression, Function, Number, Symbol

ZERO = Number(0)


class Relu(Curve):
    """max(0, x): Vaswani et al. 2017, section 3.3. It has no slope at 0; there 0 is taken, as in PyTorch."""

    name = "relu"

    def value(self, x: np.ndarray) -> np.ndarray:
        """max(0, x)."""
        return np.maximum(x, 0.0)

    def slope(self, x: np.ndarray) -> np.ndarray:
        """1 above 0, else 0."""
        return (x > 0).astype(np.float64)

    def written(self, x: Expression, at: float | None = None) -> Expression:
        """max(0, x)."""
        return Function("max", (ZERO, x))

    def slope_written(self, x: Expression, at: float | None = None) -> Expression:
        """1 above 0, else 0."""
        if isinstance(x, Symbol):
            return Cases(((ONE, f"where {x.name} > 0"), (ZERO, "elsewhere")))
        return ONE if at is not None and at > 0 else ZERO

    def code(self, module: str) -> str:
        """PyTorch's own, or the formula."""
        return "return torch.relu(x)" if module == "torch" else "return np.maximum(x, 0.0)"

    def slope_code(self, module: str) -> str:
        """1 above 0, else 0."""
        return "return 1.0 * (x > 0)"
