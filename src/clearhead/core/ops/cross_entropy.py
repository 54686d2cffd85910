"""The loss of each position: how surprising the word was that came next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearhead.core.expression import (
    Cell,
    Difference,
    Exp,
    Expression,
    Function,
    Number,
    Product,
    Sum,
    Symbol,
)
from clearhead.core.ops.base import GRADIENT, Equation, Index, Made, Operation, Pattern, Program, Pull
from clearhead.core.ops.cross_entropy_gradient import CrossEntropyGradient

SMALLEST = float(np.finfo(np.float64).tiny)
"""Below this a float64 loses digits, and soon after it is 0, whose logarithm is −∞."""


@dataclass(frozen=True)
class CrossEntropy(Operation):
    """loss[i] = −ln p[i, target of i]: 0 for a word that was certain, ln 2 for one of two equal chances, and so on.

    The cross-entropy of the predicted distribution against the word that came (Goodfellow, Bengio and Courville 2016,
    section 6.2.1). It is given the logits as well: where the probability is too small for a float64, the loss is
    ln(Σ e^logit) − logit of the target, and no infinity.

    Attributes:
        targets: the number of the word that came next, in the shape of the result (nested for a batch); −1 for a
            position that has none. Its loss is 0.
    """

    name = "cross_entropy"
    targets: tuple[Any, ...]

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """Logits and their softmax, both (..., positions, words), to (..., positions)."""
        logits, probabilities = inputs
        targets = np.array(self.targets)
        chosen = np.maximum(targets, 0)[..., None]
        p = np.take_along_axis(probabilities, chosen, axis=-1)[..., 0]
        lost = p < SMALLEST
        losses = -np.log(np.where(lost, 1.0, p))
        if lost.any():
            losses = np.where(lost, _from_logits(logits, chosen), losses)
        return np.where(targets < 0, 0.0, losses)

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """−ln of the probability, from the logits where that is too small."""
        target = self._target(index)
        if target < 0:
            return Number(0)
        if inputs[1][(*index, target)] >= SMALLEST:
            return Product((Number(-1), Function("ln", (Cell(1, (*index, target)),))))
        logits = [Cell(0, (*index, word)) for word in range(inputs[0].shape[-1])]
        largest = logits[int(inputs[0][index].argmax())]
        total = Sum(tuple(Exp(Difference(logit, largest)) for logit in logits), over="vocabulary")
        return Difference(Function("ln", (total,)), Difference(logits[target], largest))

    def _target(self, index: Index) -> int:
        return int(np.array(self.targets)[index])

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The loss of the position: from the target's probability, or else from all of its logits."""
        *place, word = index
        target = self._target(tuple(place))
        if target < 0:
            return []
        enough = inputs[1][(*place, target)] >= SMALLEST
        return [tuple(place)] if (word == target if slot else True) and enough == bool(slot) else []

    def formula(self, output: str, *inputs: str) -> Equation:
        """−ln of the target's probability."""
        place = self.letters()
        p = Symbol(inputs[1], (*place, f"target({','.join(place)})"))
        return Equation(Symbol(output, place), Product((Number(-1), Function("ln", (p,)))))

    def program(self, module: str, *inputs: str) -> Program:
        """PyTorch's own cross_entropy, or the formula in NumPy, both from the logits."""
        if module == "torch":
            line = f"torch.nn.functional.cross_entropy({inputs[0]}.movedim(-1, 1), torch.tensor({self.targets!r}), "
            return Program(line + 'ignore_index=-1, reduction="none")')
        helper = """\
def cross_entropy(logits, targets):
    logits = logits - logits.max(-1, keepdims=True)
    chosen = np.take_along_axis(logits, np.maximum(targets, 0)[..., None], -1)[..., 0]
    return np.where(targets < 0, 0.0, np.log(np.exp(logits).sum(-1)) - chosen)
"""
        return Program(f"cross_entropy({inputs[0]}, np.array({self.targets!r}))", helper)

    def backward(self, slot: int, inputs: Sequence[Made]) -> Pull | None:
        """To the logits: the probabilities, less 1 at the target, times the gradient.

        That is the way through the softmax as well (the two together are much simpler than one after the other), so
        nothing more is to flow to the probabilities.
        """
        if slot == 1:
            return None
        return Pull(CrossEntropyGradient(inputs[0].axes, self.targets), (GRADIENT, 1))

    def note(self, index: Index, *inputs: np.ndarray) -> str | None:
        """Says where there is no next word, or where the logits had to be used."""
        target = self._target(index)
        if target < 0:
            return "no word follows this position, so it has no loss and is not counted"
        if inputs[1][(*index, target)] < SMALLEST:
            return "the probability is too small for a float64, so −ln of it is worked out from the logits"
        return None


def _from_logits(logits: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """ln(Σ e^logit) − the chosen logit, the largest logit subtracted first."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return np.log(np.exp(shifted).sum(axis=-1)) - np.take_along_axis(shifted, chosen, axis=-1)[..., 0]
