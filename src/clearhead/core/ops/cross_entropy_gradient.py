"""The way back from the losses to the logits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clearhead.core.expression import Cases, Cell, Difference, Expression, Number, Product, Symbol
from clearhead.core.ops.base import Equation, Index, Operation, Pattern, Program


@dataclass(frozen=True)
class CrossEntropyGradient(Operation):
    """dlogit[i, w] = dloss[i] (p[i, w] − 1 if w is the target of i, else p[i, w]): prediction less truth.

    Goodfellow, Bengio and Courville 2016, section 6.2.2.3. It goes through −ln and softmax in one.

    Attributes:
        targets: the number of the word that came next, nested for a batch; −1 for a position that has none.
    """

    name = "cross_entropy_gradient"
    targets: tuple[Any, ...]

    def forward(self, *inputs: np.ndarray) -> np.ndarray:
        """(..., positions) and the probabilities (..., positions, words) to the shape of the probabilities."""
        gradient, probabilities = inputs
        targets = np.array(self.targets)[..., None]
        truth = targets == np.arange(probabilities.shape[-1])
        return np.where(targets < 0, 0.0, gradient[..., None] * (probabilities - truth))

    def recipe(self, index: Index, *inputs: np.ndarray) -> Expression:
        """The gradient times the probability, less 1 for the word that came."""
        *place, word = index
        target = self._target(tuple(place))
        if target < 0:
            return Number(0)
        p = Cell(1, index)
        return Product((Cell(0, tuple(place)), Difference(p, Number(1)) if word == target else p))

    def _target(self, place: Index) -> int:
        return int(np.array(self.targets)[place])

    def feeds(self, slot: int, index: Index, *inputs: np.ndarray) -> list[Pattern]:
        """The cell at the same place; from the gradient, the position's whole row."""
        place = index[:-1] if slot else index
        if self._target(place) < 0:
            return []
        return [index if slot else (*index, None)]

    def formula(self, output: str, *inputs: str) -> Equation:
        """dloss (p − 1) at the target, dloss p elsewhere."""
        *place, word = self.letters()
        gradient, p = Symbol(inputs[0], tuple(place)), Symbol(inputs[1], (*place, word))
        at_target = Product((gradient, Difference(p, Number(1))))
        cases = (
            (at_target, f"where {word} is the next word"),
            (Product((gradient, p)), "elsewhere"),
        )
        return Equation(Symbol(output, (*place, word)), Cases(cases))

    def program(self, module: str, *inputs: str) -> Program:
        """A function of the gradient, the probabilities and the targets."""
        array = "torch.tensor" if module == "torch" else "np.array"
        helper = f"""\
def cross_entropy_gradient(gradient, probabilities, targets):
    targets = {array}(targets)[..., None]
    truth = 1.0 * (targets == {module}.arange(probabilities.shape[-1]))
    return gradient[..., None] * (probabilities - truth) * (targets >= 0)
"""
        return Program(f"cross_entropy_gradient({inputs[0]}, {inputs[1]}, {self.targets!r})", helper)

    def note(self, index: Index, *inputs: np.ndarray) -> str | None:
        """Says which word came, or that none did."""
        target = self._target(index[:-1])
        if target < 0:
            return "no word follows this position, so nothing flows back from it"
        return "this is the word that came next: its logit is to grow" if target == index[-1] else None
