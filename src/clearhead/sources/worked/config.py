"""A model that has learned nothing yet: its sizes and switches, and the reproducible numbers it begins with."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearhead.core.parameters import LAYER_AXES, SHARED_AXES
from clearhead.sources.worked.example import Example
from clearhead.sources.worked.fitting import CHOICES, one_of
from clearhead.sources.worked.matrices import ExampleError, whole

SWITCHES = ("heads", "mask", "scale", "positions", "norm", "norm_place", "activation")


@dataclass(frozen=True, kw_only=True)
class Config:
    """The sizes and switches of a model to be trained from the beginning.

    Attributes:
        d_model: the length of a word's vector.
        heads: how many heads a layer has; divides d_model.
        layers: how many layers.
        d_ff: the width of the feed-forward network; 0: none, attention alone.
        tied: whether the logits are made with E (True) or with a matrix W_U of their own.
        context: how many positions P has, for positions="learned".
        seed: of the numbers the model begins with.
        mask: and the following: see `clearhead.Example`.

    Raises:
        ExampleError: a size or switch that cannot be; the message names it and what was expected.
    """

    d_model: int = 16
    heads: int = 2
    layers: int = 1
    d_ff: int = 32
    tied: bool = True
    context: int = 64
    seed: int = 0
    mask: str = "causal"
    scale: bool = True
    positions: str = "rotary"
    norm: str = "layer"
    norm_place: str = "pre"
    activation: str = "relu"

    def __post_init__(self) -> None:
        """Check every field by itself; how they fit together is seen when the model begins."""
        for name in ("d_model", "heads", "layers", "context", "d_ff", "seed"):
            least = 0 if name in ("d_ff", "seed") else 1
            object.__setattr__(self, name, whole(name, getattr(self, name), least))
        for name in ("tied", "scale"):
            if not isinstance(getattr(self, name), bool):
                raise ExampleError(name, f"expected true or false, got {getattr(self, name)!r}")
        for name in SWITCHES:
            if name in CHOICES:
                one_of(name, getattr(self, name), CHOICES[name])
        if self.d_model % self.heads:
            raise ExampleError(
                "heads", f"{self.heads} does not divide d_model, {self.d_model}; expected a divisor"
            )

    def begin(self, words: Iterable[str], tokens: Iterable[str] | None = None) -> Example:
        """The model before any training.

        Weights are drawn from a normal distribution with the variance of PyTorch's linear layers, 1/(3 rows);
        embeddings with standard deviation 0.5, so that words begin clearly apart; gains are 1 and biases 0.

        Args:
            words: the vocabulary; each word once, in the order of the rows of E.
            tokens: the sentence that the model is shown on; None: the first words of the vocabulary.

        Raises:
            ExampleError: there are no words, or the sentence has one that is not among them.
        """
        vocabulary = list(dict.fromkeys(words))
        generator = np.random.Generator(np.random.PCG64(self.seed))
        sizes = {"model": self.d_model, "joined": self.d_model, "hidden": self.d_ff, "position": self.context,
                 "vocabulary": len(vocabulary)}  # fmt: skip

        def draw(axes: tuple[str, ...]) -> np.ndarray:
            shape = [sizes[axis] for axis in axes]
            spread = 0.5 if axes[0] in ("vocabulary", "position") else 1 / math.sqrt(3 * shape[0])
            return generator.normal(0.0, spread, shape)

        table = draw(("vocabulary", "model"))
        layers = [
            {name: _start(name, axes, sizes, draw) for name, axes in self._used()} for _ in range(self.layers)
        ]
        shared: dict[str, Any] = {
            name: _start(name, SHARED_AXES[name], sizes, draw) for name in self._shared()
        }
        return Example(
            tokens=tuple(tokens or vocabulary[:8]), E=dict(zip(vocabulary, table, strict=True)), layers=layers,
            scale_embeddings=False, **shared, **{name: getattr(self, name) for name in SWITCHES},
        )  # fmt: skip

    def _used(self) -> list[tuple[str, tuple[str, ...]]]:
        left_out = {"b_1", "b_2"} if self.activation == "swiglu" else {"W_G"}
        if not self.d_ff:
            left_out |= {"W_1", "b_1", "W_2", "b_2", "W_G", "gain_2", "bias_2"}
        if self.norm == "none":
            left_out |= {"gain_1", "gain_2"}
        if self.norm != "layer":
            left_out |= {"bias_1", "bias_2"}
        return [(name, axes) for name, axes in LAYER_AXES.items() if name not in left_out]

    def _shared(self) -> list[str]:
        names = ["P"] if self.positions == "learned" else []
        if self.norm != "none" and self.norm_place == "pre":
            names += ["gain_final", "bias_final"] if self.norm == "layer" else ["gain_final"]
        return names if self.tied else [*names, "W_U"]


def _start(name: str, axes: tuple[str, ...], sizes: dict[str, int], draw: Any) -> np.ndarray:
    if name.startswith("gain"):
        return np.ones(sizes[axes[0]])
    return np.zeros(sizes[axes[0]]) if len(axes) == 1 else np.asarray(draw(axes))
