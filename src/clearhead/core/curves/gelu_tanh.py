"""GELU by a tanh: the form of GPT-2."""

from __future__ import annotations

import math

import numpy as np

from clearhead.core.curves.base import ONE, TWO, Curve
from clearhead.core.expression import (
    Difference,
    Expression,
    Function,
    Number,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
)

CUBIC = 0.044715
"""The factor of x³."""

FAR = 10.0
"""From here on the tanh is ±1 to the last digit, so the slope is 1 or 0; the cube of x would in the end overflow."""

ROOT = math.sqrt(2 / math.pi)
ROOT_WRITTEN = Root(Quotient(TWO, Number(math.pi, "π")))


class GeluTanh(Curve):
    """x (1 + tanh(root(2/π) (x + 0.044715 x³))) / 2: Hendrycks and Gimpel 2016, section 2, their approximation."""

    name = "gelu_tanh"

    def value(self, x: np.ndarray) -> np.ndarray:
        """x times, very nearly, the share of a standard normal below x."""
        return x * (1 + _tanh(x)) / 2

    def slope(self, x: np.ndarray) -> np.ndarray:
        """The slope of the approximation itself."""
        x = np.clip(x, -FAR, FAR)
        t = _tanh(x)
        return (1 + t) / 2 + x * (1 - t**2) * (ROOT * (1 + 3 * CUBIC * x**2)) / 2

    def written(self, x: Expression, at: float | None = None) -> Expression:
        """x (1 + t) / 2, where t = tanh(root(2/π) (x + 0.044715 x³))."""
        return Quotient(Product((x, Sum((ONE, _tanh_written(x))))), TWO)

    def slope_written(self, x: Expression, at: float | None = None) -> Expression:
        """(1 + t) / 2 + x (1 − t²) root(2/π) (1 + 3 · 0.044715 x²) / 2; far out the second part is 0 and left out."""
        t = _tanh_written(x)
        half = Quotient(Sum((ONE, t)), TWO)
        if at is not None and abs(at) > FAR:
            return half
        inner = Sum((ONE, Product((Number(3), Number(CUBIC), Power(x, TWO)))))
        bent = Product((x, Difference(ONE, Power(t, TWO)), ROOT_WRITTEN, inner))
        return Sum((half, Quotient(bent, TWO)))

    def code(self, module: str) -> str:
        """PyTorch's own, or the formula."""
        if module == "torch":
            return 'return torch.nn.functional.gelu(x, approximate="tanh")'
        return f"return x * (1 + {TANH_CODE.format('np')}) / 2"

    def slope_code(self, module: str) -> str:
        """The formula."""
        inner = f"(2 / {module}.pi) ** 0.5 * (1 + 3 * {CUBIC} * x**2)"
        far = f"x = {module}.clip(x, {-FAR}, {FAR})  # beyond, the slope is 0 or 1\n"
        return f"{far}t = {TANH_CODE.format(module)}\nreturn (1 + t) / 2 + x * (1 - t**2) * ({inner}) / 2"


TANH_CODE = "{0}.tanh((2 / {0}.pi) ** 0.5 * (x + 0.044715 * x**3))"


def _tanh(x: np.ndarray) -> np.ndarray:
    return np.tanh(ROOT * (x + CUBIC * x**3))


def _tanh_written(x: Expression) -> Expression:
    cubic = Product((Number(CUBIC), Power(x, Number(3))))
    return Function("tanh", (Product((ROOT_WRITTEN, Sum((x, cubic)))),))
