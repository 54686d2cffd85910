"""The way back through the mean of the losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clearhead.core.expression import Cases, Cell, Expression, Number, Quotient, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program


@dataclass(frozen=True)
class SpreadMean(Operation):
    """Every position that counts gets the gradient of the mean, divided by how many count; the others get 0.

    Attributes:
        targets: in the shape of the result; a position with −1 does not count.
    """

    name = "spread_mean"
    targets: tuple[Any, ...]

    def _counted(self) -> np.ndarray:
        return np.array(self.targets) >= 0

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """A single number to the shape of the targets."""
        counted = self._counted()
        return np.where(counted, inputs[0] / max(1, counted.sum()), 0.0)

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The gradient over the count, or 0."""
        counted = self._counted()
        return Quotient(Cell(0, ()), Number(int(counted.sum()), "count")) if counted[index] else Number(0)

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """Every position that counts."""
        return [tuple(map(int, place)) for place in np.argwhere(self._counted())]

    def formula(self, output: str, *inputs: str) -> Equation:
        """The gradient over the count where there is a next word, else 0."""
        share = Quotient(Symbol(inputs[0]), Symbol("count"))
        cases = ((share, "where a word follows"), (Number(0), "elsewhere"))
        return Equation(Symbol(output, self.letters()), Cases(cases))

    def program(self, module: str, *inputs: str) -> Program:
        """The gradient times a row of shares."""
        array = "torch.tensor" if module == "torch" else "np.array"
        counted = self._counted()
        return Program(f"{inputs[0]} * {array}({counted.tolist()!r}) / {max(1, int(counted.sum()))}")

    def note(self, index: Index, *inputs: np.ndarray) -> str | None:
        """Says why a position gets nothing."""
        return None if self._counted()[index] else "no word follows this position, so it is not counted"
