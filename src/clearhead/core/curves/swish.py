"""Swish, also called SiLU: x times its own sigmoid."""

from __future__ import annotations

import numpy as np

from clearhead.core.curves.base import ONE, Curve, minus
from clearhead.core.expression import Difference, Exp, Expression, Product, Quotient, Sum

FAR = -20.0
"""Below this e^x is written instead of e^−x, a number that nobody reads and that in the end overflows."""


class Swish(Curve):
    """x / (1 + e^−x): Ramachandran et al. 2017 with β = 1; in SwiGLU (Shazeer 2020) it opens the gate."""

    name = "swish"

    def value(self, x: np.ndarray) -> np.ndarray:
        """x times sigmoid(x)."""
        return x * _sigmoid(x)

    def slope(self, x: np.ndarray) -> np.ndarray:
        """s (1 + x (1 − s)), where s is sigmoid(x)."""
        s = _sigmoid(x)
        return s * (1 + x * (1 - s))

    def written(self, x: Expression, at: float | None = None) -> Expression:
        """x / (1 + e^−x), or x e^x / (1 + e^x)."""
        if _is_far(at):
            return Quotient(Product((x, Exp(x))), Sum((ONE, Exp(x))))
        return Quotient(x, Sum((ONE, Exp(minus(x)))))

    def slope_written(self, x: Expression, at: float | None = None) -> Expression:
        """s (1 + x (1 − s)), where s = 1 / (1 + e^−x), or e^x / (1 + e^x)."""
        s = Quotient(Exp(x), Sum((ONE, Exp(x)))) if _is_far(at) else Quotient(ONE, Sum((ONE, Exp(minus(x)))))
        return Product((s, Sum((ONE, Product((x, Difference(ONE, s)))))))

    def code(self, module: str) -> str:
        """PyTorch's own, or the formula."""
        return "return torch.nn.functional.silu(x)" if module == "torch" else f"return x * {SIGMOID_CODE}"

    def slope_code(self, module: str) -> str:
        """The formula."""
        sigmoid = "torch.sigmoid(x)" if module == "torch" else SIGMOID_CODE
        return f"s = {sigmoid}\nreturn s * (1 + x * (1 - s))"


SIGMOID_CODE = "np.where(x < 0, np.exp(-abs(x)), 1.0) / (1 + np.exp(-abs(x)))"


def _is_far(at: float | None) -> bool:
    return at is not None and at < FAR


def _sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e^−x), as e^x / (1 + e^x) where x is negative, so that nothing overflows."""
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, 1.0) / (1 + small)
