"""What an activation function is: a curve and its slope, as arrays, as arithmetic and as code."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from clearhead.core.expression import Expression, Number, Product

ONE, TWO = Number(1), Number(2)


class Curve(ABC):
    """A function of one number and its derivative.

    Attributes:
        name: how a person asks for it.
    """

    name: ClassVar[str]

    @abstractmethod
    def value(self, x: np.ndarray) -> np.ndarray:
        """The function, number by number."""

    @abstractmethod
    def slope(self, x: np.ndarray) -> np.ndarray:
        """Its derivative, number by number."""

    @abstractmethod
    def written(self, x: Expression, at: float | None = None) -> Expression:
        """The function as arithmetic over `x`; `at` is the number that x is, None in a general formula."""

    @abstractmethod
    def slope_written(self, x: Expression, at: float | None = None) -> Expression:
        """The derivative as arithmetic; a plain 0 or 1 where it is one by its definition."""

    @abstractmethod
    def code(self, module: str) -> str:
        """The body of a Python function of x that computes the function; `module` is "np" or "torch"."""

    @abstractmethod
    def slope_code(self, module: str) -> str:
        """The body of a Python function of x that computes the derivative."""


def minus(x: Expression) -> Product:
    """−x."""
    return Product((Number(-1), x))
