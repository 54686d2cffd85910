"""Softmax: a row of scores becomes a row of weights that sum to 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clearhead.core.expression import (
    BigSum,
    Cell,
    Difference,
    Exp,
    Expression,
    Number,
    Quotient,
    Sum,
    Symbol,
    terms,
)
from clearhead.core.ops.base import GRADIENT, OUTPUT, Equation, Index, Made, Operation, Pattern, Program, Pull
from clearhead.core.ops.softmax_gradient import SoftmaxGradient

PLAIN_UP_TO = 20.0
"""A row whose largest score is at most this far from 0 is exponentiated as it stands, as in the textbook formula.

Beyond, the largest score is subtracted from the row first: it cancels, and nothing overflows or vanishes. (e^20 is half
a billion: larger exponentials are nothing a person reads.)
"""


class Softmax(Operation):
    """weights[..., j] = e^score[..., j] / sum over j' of e^score[..., j'], along the last axis.

    A row whose scores are all −∞ may see nothing: its weights are 0, as in PyTorch's scaled_dot_product_attention. One
    with a score of +∞ or NaN has no weights: all of it is NaN, as in torch.softmax.
    """

    name = "softmax"

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Shape: that of the input; each row along the last axis sums to 1."""
        largest = inputs[0].max(axis=-1, keepdims=True)
        exponentials = inputs[0] - np.where(_is_shifted(largest), largest, 0.0)  # +∞ less itself is NaN
        np.exp(exponentials, out=exponentials)
        total = exponentials.sum(axis=-1, keepdims=True)
        exponentials /= np.where(total == 0, 1.0, total)  # 0 / 1 where nothing is seen; a NaN stays one
        return exponentials

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """e^score over the sum of the row's e^score, the row's largest score subtracted where that is needed."""
        *row, key = index
        if self.sees_nothing(row, *inputs):
            return Number(0)
        scores, shift = self.scores(row, *inputs), self._shift(row, *inputs)

        def exponential(place: int) -> Exp:
            one = self.member(row, place, *inputs)
            return Exp(one if shift is None else Difference(one, shift))

        def values() -> np.ndarray:
            return np.exp(scores if shift is None else scores - inputs[shift.slot][shift.index])

        return Quotient(exponential(key), Sum(terms(len(scores), exponential, values), over=self.axes[-1]))

    def member(self, row: Sequence[int], place: int, *inputs: np.ndarray) -> Cell:
        """One of the cells whose exponentials are added up: those of the row."""
        return Cell(0, (*row, place))

    def scores(self, row: Sequence[int], *inputs: np.ndarray) -> np.ndarray:
        """(members,) the numbers in these cells."""
        return inputs[0][tuple(row)]

    def sees_nothing(self, row: Sequence[int], *inputs: np.ndarray) -> bool:
        """Whether all scores of the row are masked."""
        return bool(np.isneginf(inputs[0][tuple(row)]).all())

    def _shift(self, row: Sequence[int], *inputs: np.ndarray) -> Cell | None:
        """The cell that is subtracted from its row, or None."""
        scores = self.scores(row, *inputs)
        place = int(scores.argmax())
        return self.member(row, place, *inputs) if _is_shifted(scores[place]) else None

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The whole row: every weight is divided by the same sum. Nothing, where the row may see nothing."""
        return [] if self.sees_nothing(index[:-1], *inputs) else [(*index[:-1], None)]

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
        """Says that a score was masked, that the row's largest score was subtracted, or that it has no weights."""
        if self.sees_nothing(index[:-1], *inputs):
            return (
                "this query may see nothing: all of its scores are masked, and it takes nothing from anywhere"
            )
        if not self.scores(index[:-1], *inputs).max() < np.inf:
            return "a score of this row is no finite number, so there is no share of it: the whole row is no number"
        if np.isneginf(inputs[0][index]):
            return "masked: e^−∞ is exactly 0, so nothing of this position is taken"
        if self._shift(index[:-1], *inputs) is not None:
            return "the row's largest score is subtracted first so that e^… stays a number; it cancels in the fraction"
        return None


def _is_shifted(largest: np.ndarray) -> np.ndarray:
    """Whether a row's largest score is subtracted from it; not −∞, where nothing is seen."""
    return np.asarray((np.abs(largest) > PLAIN_UP_TO) & ~np.isneginf(largest))
