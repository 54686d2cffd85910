"""Softmax: a row of scores becomes a row of weights that sum to 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clearhead.core.expression import BigSum, Cell, Difference, Exp, Expression, Number, Quotient, Sum, Symbol
from clearhead.core.ops.base import GRADIENT, OUTPUT, Equation, Index, Made, Operation, Pattern, Program, Pull
from clearhead.core.ops.softmax_gradient import SoftmaxGradient

PLAIN_UP_TO = 20.0
"""A row whose largest score is at most this far from 0 is exponentiated as it stands, as in the textbook formula.

Beyond, the largest score is subtracted from the row first: it cancels, and nothing overflows or vanishes. (e^20 is half
a billion: larger exponentials are nothing a person reads.)
"""


class Softmax(Operation):
    """weights[..., j] = e^score[..., j] / sum over j' of e^score[..., j'], along the last axis.

    A row whose scores are all −∞ may see nothing: its weights are 0, as in PyTorch's scaled_dot_product_attention.
    """

    name = "softmax"

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Shape: that of the input; each row along the last axis sums to 1."""
        largest = inputs[0].max(axis=-1, keepdims=True)
        shifted = np.isfinite(largest) & (np.abs(largest) > PLAIN_UP_TO)
        exponentials = np.exp(inputs[0] - np.where(shifted, largest, 0.0))
        total = exponentials.sum(axis=-1, keepdims=True)
        return np.divide(exponentials, total, out=np.zeros_like(exponentials), where=total > 0)

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """e^score over the sum of the row's e^score, the row's largest score subtracted where that is needed."""
        *row, key = index
        if _sees_nothing(row, inputs[0]):
            return Number(0)
        shift = self._shift(row, inputs[0])
        exponentials = [
            Exp(_score(row, other) if shift is None else Difference(_score(row, other), _score(row, shift)))
            for other in range(inputs[0].shape[-1])
        ]
        return Quotient(exponentials[key], Sum(tuple(exponentials), over=self.axes[-1]))

    def _shift(self, row: list[int], scores: np.ndarray) -> int | None:
        """The place of the score that is subtracted from its row, or None."""
        largest = int(scores[tuple(row)].argmax())
        return largest if abs(scores[(*row, largest)]) > PLAIN_UP_TO else None

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The whole row: every weight is divided by the same sum. Nothing, where the row may see nothing."""
        return [] if _sees_nothing(list(index[:-1]), inputs[0]) else [(*index[:-1], None)]

    def formula(self, output: str, *inputs: str) -> Equation:
        """e^score over the sum of the row's e^score."""
        *row, key = self.letters()
        score, any_score = Symbol(inputs[0], (*row, key)), Symbol(inputs[0], (*row, f"{key}′"))
        return Equation(Symbol(output, (*row, key)), Quotient(Exp(score), BigSum(f"{key}′", Exp(any_score))))

    def program(self, module: str, *inputs: str) -> Program:
        """PyTorch's own softmax, or the formula in NumPy, the largest score of a row subtracted."""
        if module == "torch":
            return Program(f"torch.softmax({inputs[0]}, -1)")
        helper = """\
def softmax(scores):
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)
"""
        return Program(f"softmax({inputs[0]})", helper)

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull:
        """From the gradient and the weights alone: see `SoftmaxGradient`."""
        return Pull(SoftmaxGradient(inputs[slot].axes), (GRADIENT, OUTPUT))

    def note(self, index: Index, *inputs: np.ndarray) -> str | None:
        """Says that a score was masked, or that the row's largest score was subtracted."""
        if _sees_nothing(list(index[:-1]), inputs[0]):
            return (
                "this query may see nothing: all of its scores are masked, and it takes nothing from anywhere"
            )
        if np.isneginf(inputs[0][index]):
            return "masked: e^−∞ is exactly 0, so nothing of this position is taken"
        if self._shift(list(index[:-1]), inputs[0]) is not None:
            return "the row's largest score is subtracted first so that e^… stays a number; it cancels in the fraction"
        return None


def _sees_nothing(row: list[int], scores: np.ndarray) -> bool:
    return bool(np.isneginf(scores[tuple(row)]).all())


def _score(row: list[int], key: int) -> Cell:
    return Cell(0, (*row, key))
