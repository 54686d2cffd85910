"""GELU: x times the probability that a standard normal number lies below x."""

from __future__ import annotations

import math

import numpy as np

from clearhead.core.curves.base import ONE, TWO, Curve, minus
from clearhead.core.expression import Exp, Expression, Function, Number, Power, Product, Quotient, Root, Sum

TWO_PI = Product((TWO, Number(math.pi, "π")))


class Gelu(Curve):
    """x (1 + erf(x / root(2))) / 2: Hendrycks and Gimpel 2016, section 2."""

    name = "gelu"

    def value(self, x: np.ndarray) -> np.ndarray:
        """x times the share below x."""
        return x * _below(x)

    def slope(self, x: np.ndarray) -> np.ndarray:
        """The share below x, and x times the height of the bell curve at x."""
        return _below(x) + x * (np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi))

    def written(self, x: Expression, at: float | None = None) -> Expression:
        """x (1 + erf(x / root(2))) / 2."""
        return Quotient(Product((x, _twice_below_written(x))), TWO)

    def slope_written(self, x: Expression, at: float | None = None) -> Expression:
        """(1 + erf(x / root(2))) / 2 + x e^(−x²/2) / root(2π)."""
        bell = Exp(minus(Quotient(Power(x, TWO), TWO)))
        return Sum((Quotient(_twice_below_written(x), TWO), Quotient(Product((x, bell)), Root(TWO_PI))))

    def code(self, module: str) -> str:
        """PyTorch's own, or the formula; NumPy has no error function."""
        if module == "torch":
            return "return torch.nn.functional.gelu(x)"
        return f"{NUMPY_ERF}return x * (1 + erf(x / 2**0.5)) / 2"

    def slope_code(self, module: str) -> str:
        """The formula."""
        erf = "erf = torch.erf\n" if module == "torch" else NUMPY_ERF
        bell = f"{module}.exp(-(x**2) / 2) / (2 * {module}.pi) ** 0.5"
        return f"{erf}return (1 + erf(x / 2**0.5)) / 2 + x * {bell}"


NUMPY_ERF = "import math\nerf = np.vectorize(math.erf, otypes=[float])\n"


def _below(x: np.ndarray) -> np.ndarray:
    """The distribution function of the standard normal; NumPy has no error function, the standard library has one."""
    erf = np.array([math.erf(one) for one in (x / math.sqrt(2)).ravel().tolist()], dtype=np.float64)
    return (1 + erf.reshape(x.shape)) / 2


def _twice_below_written(x: Expression) -> Expression:
    return Sum((ONE, Function("erf", (Quotient(x, Root(TWO)),))))
