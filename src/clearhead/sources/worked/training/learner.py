"""The state of a training run between two steps, and the one way from each to the next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearhead.core.learning import Arrays, Rows, Targets, loss_of, updated
from clearhead.core.optimise import Optimiser
from clearhead.core.settings import Settings
from clearhead.core.transformer import following

TOO_FAR = 100.0
"""A loss this many times the one at the start is called divergence, long before it is infinite."""


class OffCourse(ArithmeticError):
    """Training has left the numbers one can go on with; the message says where and how.

    Attributes:
        good: how many updates the last good model has had.
    """

    def __init__(self, message: str, good: int) -> None:
        super().__init__(message)
        self.good = good


@dataclass(frozen=True)
class Recipe:
    """How a model is trained: everything that a step depends on but the numbers that change.

    Attributes:
        settings: the switches of the model.
        sentences: what it is trained on, as rows of E.
        optimiser: how a gradient becomes an update.
        batch: how many sentences each step takes, drawn anew; None: all of them.
        targets: gives the next words of a sentence.
    """

    settings: Settings
    sentences: Sequence[Rows]
    optimiser: Optimiser
    batch: int | None = None
    targets: Targets = following


@dataclass(frozen=True)
class Learner:
    """The model after some steps.

    Attributes:
        step: how many updates it has had.
        parameters: its numbers.
        memory: what the optimiser remembers, by name, such as "E_m".
        random: the state of the generator that draws batches.
        first_loss: the loss before the first update, once it is known.
    """

    step: int
    parameters: Arrays
    memory: Arrays
    random: Mapping[str, Any]
    first_loss: float | None = None

    @classmethod
    def begin(cls, parameters: Arrays, seed: int) -> Learner:
        """Before the first step."""
        return cls(0, dict(parameters), {}, np.random.PCG64(seed).state)

    def advance(self, recipe: Recipe) -> tuple[Learner, float]:
        """The model after one more step, and the loss before it, on the sentences of that step.

        Raises:
            OffCourse: the loss, a parameter or what the optimiser remembers is no finite number, or the loss has grown
                out of all bounds. A bad loss is the fault of the update before; then the model before that is good.
        """
        sentences, random = self._draw(recipe)
        with np.errstate(all="ignore"):  # what overflows is not finite and is reported below
            loss, gradients = loss_of(self.parameters, sentences, recipe.settings, recipe.targets)
            self._refuse(loss)
            parameters, memory = updated(self.parameters, gradients, self.memory, recipe.optimiser, self.step)
        for name, values in (*parameters.items(), *memory.items()):
            if not np.isfinite(values).all():
                problem = f"step {self.step + 1}: {name} holds numbers that are not finite after the update"
                raise OffCourse(problem, self.step)
        first = loss if self.first_loss is None else self.first_loss
        return replace(
            self, step=self.step + 1, parameters=parameters, memory=memory, random=random, first_loss=first
        ), loss

    def check(self, recipe: Recipe) -> None:
        """See that the model's loss on its next sentences is one that can be gone on with.

        Raises:
            OffCourse: see `advance`.
        """
        with np.errstate(all="ignore"):
            self._refuse(loss_of(self.parameters, self._draw(recipe)[0], recipe.settings, recipe.targets)[0])

    def _draw(self, recipe: Recipe) -> tuple[Sequence[Rows], Mapping[str, Any]]:
        if recipe.batch is None:
            return recipe.sentences, self.random
        bits = np.random.PCG64()
        bits.state = self.random  # type: ignore[assignment]  # what its own `state` gave
        chosen = np.random.Generator(bits).integers(len(recipe.sentences), size=recipe.batch)
        return [recipe.sentences[place] for place in chosen], bits.state

    def _refuse(self, loss: float) -> None:
        before = max(0, self.step - 1)
        if not math.isfinite(loss):
            raise OffCourse(f"step {self.step + 1}: the loss is {loss}, no finite number", before)
        if self.first_loss is not None and loss > TOO_FAR * max(self.first_loss, 1.0):
            raise OffCourse(
                f"step {self.step + 1}: the loss has grown from {self.first_loss:.4g} to {loss:.4g}; a smaller "
                "learning rate may hold it", before,
            )  # fmt: skip
