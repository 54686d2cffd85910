"""The loss: the mean over the positions that have a next word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearhead.core.axes import BATCH, POSITION
from clearhead.core.expression import BigSum, Cell, Expression, Number, Quotient, Sum, Symbol
from clearhead.core.ops.base import (
    GRADIENT,
    LETTERS,
    Equation,
    Index,
    Made,
    Operation,
    Pattern,
    Program,
    Pull,
    letters_of,
)
from clearhead.core.ops.spread_mean import SpreadMean


@dataclass(frozen=True)
class MeanLoss(Operation):
    """The mean of the losses that count; 0 where none does.

    Attributes:
        targets: in the shape of the losses (nested for a batch); a position with −1 has no next word and is left out.
    """

    name = "mean_loss"
    targets: tuple[Any, ...]

    def _counted(self) -> np.ndarray:
        return np.array(self.targets) >= 0

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """(..., positions) to a single number, without axes."""
        counted = self._counted()
        return np.asarray(inputs[0][counted].sum() / max(1, counted.sum()))

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The sum of the losses that count over their number."""
        terms = tuple(Cell(0, tuple(map(int, place))) for place in np.argwhere(self._counted()))
        return Quotient(Sum(terms, over=POSITION), Number(len(terms), "count")) if terms else Number(0)

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The one number there is, if the position counts."""
        return [()] if self._counted()[index] else []

    def formula(self, output: str, *inputs: str) -> Equation:
        """The sum of the losses over the number of positions that have a next word."""
        axes = (BATCH, POSITION)[-self._counted().ndim :]
        body: Expression = Symbol(inputs[0], letters_of(axes))
        for axis in reversed(axes):
            body = BigSum(LETTERS[axis], body)
        return Equation(Symbol(output), Quotient(body, Symbol("count")))

    def program(self, module: str, *inputs: str) -> Program:
        """The sum of the losses that count over their number."""
        array = "torch.tensor" if module == "torch" else "np.array"
        counted = self._counted()
        losses = inputs[0] if counted.all() else f"({inputs[0]} * {array}({counted.tolist()!r}))"
        return Program(f"{losses}.sum() / {max(1, int(counted.sum()))}")

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull:
        """Each position that counts gets its share."""
        return Pull(SpreadMean(inputs[0].axes, self.targets), (GRADIENT,))

    def note(self, index: Index, *inputs: np.ndarray) -> str | None:
        """Says which positions count."""
        counted = self._counted()
        if counted.all():
            return None
        return f"only the positions that have a next word count: {int(counted.sum())} of {counted.size}"
