"""A head that comes into being: a small attention-only model learns to continue what it has seen before.

An induction head (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"; Olsson et al. 2022) looks,
from a token that occurred before, at what came after it then. It takes two layers: in the first a head tells each token
which one stood before it, in the second a head looks for the place that was told so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np

from clearhead.core.learning import Rows
from clearhead.core.ops import Operation
from clearhead.core.optimise import Optimiser
from clearhead.core.transformer import NO_TARGET, transformer
from clearhead.sources.worked.config import Config
from clearhead.sources.worked.training.learner import Learner, OffCourse, Recipe
from clearhead.sources.worked.training.threads import one_thread

TOKENS, LENGTH, BATCH, HELD_OUT = 32, 24, 32, 32
SHORTEST, LONGEST = 4, 12
"""How long the segment is that comes twice."""

RATE, WARM_UP = 0.01, 30
"""The learning rate of AdamW, reached evenly over the first steps."""

MOST_STEPS, EVERY = 250, 5
"""Where a run ends, and every how many steps the heads are measured."""


@dataclass(frozen=True)
class Setting:
    """Which model is trained; the standard one forms the head, each of the others lacks something.

    Attributes:
        layers: 1 or 2.
        positions: "rotary", "learned" or "none".
        mask: "causal" or "none".
        scale: whether scores are divided by root(d_head).
        seed: of the first numbers and of the sequences.
    """

    layers: int = 2
    positions: str = "rotary"
    mask: str = "causal"
    scale: bool = True
    seed: int = 0

    def begin(self) -> Any:
        """The model before its first step: width 32, two heads, layer norm, no feed-forward network."""
        config = Config(
            d_model=32, heads=2, layers=self.layers, d_ff=0, tied=False, context=LENGTH, seed=self.seed, mask=self.mask,
            scale=self.scale, positions=self.positions, norm="layer",
        )  # fmt: skip
        return config.begin(f"t{number}" for number in range(TOKENS))


@dataclass(frozen=True)
class Sequence:
    """Random tokens in which one segment comes exactly twice.

    Attributes:
        tokens: their numbers.
        first: where the segment begins,
        second: where it begins again, and
        length: how many tokens it has.
    """

    tokens: Rows
    first: int
    second: int
    length: int

    @property
    def targets(self) -> Rows:
        """The next token where it can be known: inside the second copy."""
        known = range(self.second, self.second + self.length - 1)
        return tuple(
            self.tokens[place + 1] if place in known else NO_TARGET for place in range(len(self.tokens))
        )

    @property
    def looks(self) -> Rows:
        """Where an induction head looks from each position: after the same token in the first copy; −1: nowhere."""
        known = range(self.second, self.second + self.length - 1)
        return tuple(
            place - self.second + self.first + 1 if place in known else -1
            for place in range(len(self.tokens))
        )


def draw(generator: np.random.Generator) -> Sequence:
    """One sequence. Where the copies stand and how far apart is random, so that no fixed distance gives them away."""
    length = int(generator.integers(SHORTEST, LONGEST + 1))
    first = int(generator.integers(0, LENGTH - 2 * length + 1))
    second = int(generator.integers(first + length, LENGTH - length + 1))
    order = generator.permutation(TOKENS)
    segment, filler = order[:length], order[length:]
    tokens = np.resize(filler, LENGTH)
    tokens[first : first + length] = segment
    tokens[second : second + length] = segment
    return Sequence(tuple(map(int, tokens)), first, second, length)


@dataclass
class InductionRun:
    """One model in training; `advance_to` brings it further, and everything before stays.

    Attributes:
        setting: which model.
        losses: before each update.
        measured: the steps at which the heads were measured, and
        scores: how much each head, layer by layer, looks where an induction head does: its mean weight there, over
            sequences that are never trained on.
        maps: the weights of every head on one such sequence, by measured step; (layers * heads, query, key).
    """

    setting: Setting
    losses: list[float] = field(default_factory=list)
    measured: list[int] = field(default_factory=list)
    scores: list[np.ndarray] = field(default_factory=list)
    maps: list[np.ndarray] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Draw the model and the sequences it is measured on."""
        self._lock = Lock()
        self._generator = np.random.default_rng([self.setting.seed, 1])
        held_out = np.random.default_rng([self.setting.seed, 2])
        self.unseen = [draw(held_out) for _ in range(HELD_OUT)]
        model = self.setting.begin()
        self._settings = model.settings
        self._learner = Learner.begin(model.used_parameters, self.setting.seed)
        self.stopped: str | None = None
        self._measure()

    @property
    def step(self) -> int:
        """How many updates the model has had."""
        return self._learner.step

    @property
    def finished(self) -> bool:
        """Whether the run has come to its end."""
        return self.stopped is not None or self.step >= MOST_STEPS

    def advance_to(self, step: int) -> None:
        """Train up to `step`, or to the end; nothing, if the model is there already."""
        with self._lock, one_thread():
            while self.step < step and not self.finished:
                self._advance()

    def _advance(self) -> None:
        sequences = [draw(self._generator) for _ in range(BATCH)]
        wanted = {sequence.tokens: sequence.targets for sequence in sequences}
        rate = RATE * min(1.0, (self.step + 1) / WARM_UP)
        rows = [sequence.tokens for sequence in sequences]
        recipe = Recipe(self._settings, rows, Optimiser("adamw", rate), targets=wanted.__getitem__)
        try:
            self._learner, loss = self._learner.advance(recipe)
        except OffCourse as problem:
            self.stopped = str(problem)
            return
        self.losses.append(loss)
        if self.step % EVERY == 0:
            self._measure()

    def _measure(self) -> None:
        weights = attention_maps(
            self._learner.parameters, tuple(one.tokens for one in self.unseen), self._settings
        )
        looks = np.array([one.looks for one in self.unseen])
        sequence, query = np.nonzero(looks >= 0)
        self.scores.append(weights[sequence, :, query, looks[sequence, query]].mean(axis=0))
        self.maps.append(weights[0])
        self.measured.append(self.step)


def attention_maps(parameters: Mapping[str, np.ndarray], rows: tuple[Rows, ...], settings: Any) -> np.ndarray:
    """The weights of every head on a batch: (sequences, layers * heads, query, key)."""
    maps: list[np.ndarray] = []

    def step(name: str, operation: Operation, *inputs: np.ndarray) -> np.ndarray:
        made = operation.forward(*inputs)
        if name.endswith("weights"):
            maps.append(made)
        return made

    transformer(step, parameters, rows, settings)
    return np.concatenate(maps, axis=1)
