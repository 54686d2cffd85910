"""The study model as it ships: its weights, and what it computes for sentences."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from clearhead.core.ops import Operation
from clearhead.core.settings import Settings
from clearhead.core.transformer import transformer
from clearhead.sources.worked.study.words import START, VOCABULARY

WEIGHTS, MEASURED = "weights.npz", "measured.json"
"""The files beside this one that `scripts/train_study.py` writes."""

NUMBERS = {word: number for number, word in enumerate(VOCABULARY)}

Head = tuple[int, int]
"""A head by its layer and its number in it, both from 0."""


@dataclass(frozen=True)
class Model:
    """A trained transformer over the study language.

    Attributes:
        parameters: every array by its name (E, P, "layer0.W_Q", ..., W_U), float32.
        config: how it computes: the fields of `core.settings.Settings`.
        step: how many updates its parameters have had.
        kept: the steps of its training that ship, in order; the last is the end.
    """

    parameters: Mapping[str, np.ndarray]
    config: Mapping[str, Any]
    step: int
    kept: tuple[int, ...] = ()

    @property
    def heads(self) -> list[Head]:
        """Every head, the first layer's first."""
        return [
            (layer, head) for layer in range(self.config["layers"]) for head in range(self.config["heads"])
        ]

    @property
    def size(self) -> int:
        """How many numbers were trained."""
        return sum(values.size for values in self.parameters.values())


@dataclass
class Run:
    """What a model made of some sentences.

    Attributes:
        probabilities: (sentence, position, vocabulary): of the word after each position.
        weights: (layer, sentence, head, query, key).
    """

    probabilities: np.ndarray
    weights: np.ndarray


@dataclass
class _Watched:
    """A `core.attention.Step` that keeps the attention weights and silences the heads that are off."""

    off: Collection[Head]
    weights: list[np.ndarray] = field(default_factory=list)

    def __call__(self, name: str, operation: Operation, *inputs: np.ndarray) -> np.ndarray:
        values = operation.forward(*inputs)
        scope, _, bare = name.rpartition(".")
        if bare == "weights":
            self.weights.append(values)
        if bare == "mixed":
            silent = [head for layer, head in self.off if scope in ("", f"layer{layer}")]
            values[..., silent, :, :] = 0.0
        return values


def run(model: Model, sentences: Sequence[Sequence[str]], off: Collection[Head] = ()) -> Run:
    """Compute in float64 what `model` makes of `sentences`, with `START` in front of each.

    Shorter sentences are filled up with `START` behind their end, where a causal mask keeps it out of sight.

    Args:
        model: what to compute with.
        sentences: words of the language; position n of the result is that of word n, and 0 that of `START`.
        off: heads whose `mixed` is set to 0 before W_O.
    """
    length = 1 + max(map(len, sentences))
    rows = tuple(
        tuple(NUMBERS[word] for word in (START, *words)) + (0,) * (length - 1 - len(words))
        for words in sentences
    )
    weights = {name: values.astype(np.float64) for name, values in model.parameters.items()}
    step = _Watched(off)
    _, probabilities = transformer(step, weights, rows, Settings(**model.config))
    return Run(probabilities, np.stack(step.weights))


def load(step: int | None = None) -> Model:
    """The study model that ships, after `step` updates; None: fully trained.

    Raises:
        ValueError: no parameters were kept after that many updates.
    """
    with files(__package__).joinpath(WEIGHTS).open("rb") as file, np.load(file, allow_pickle=False) as kept:
        config = json.loads(str(kept["config"]))
        steps = [int(number) for number in kept["steps"]]
        step = steps[-1] if step is None else step
        if step not in steps:
            raise ValueError(f"step {step} of the study model was not kept; the steps kept are {steps}")
        of_step = {
            name.removeprefix(f"{step}/"): kept[name] for name in kept.files if name.startswith(f"{step}/")
        }
    return Model(of_step, config, step, tuple(steps))


@cache
def measured() -> dict[str, Any]:
    """What `scripts/train_study.py` measured when it trained the model that ships; see docs/study.md."""
    found: dict[str, Any] = json.loads(files(__package__).joinpath(MEASURED).read_text("utf-8"))
    return found
