"""The switches of a transformer: how it computes, apart from the numbers it is given."""

from __future__ import annotations

from dataclasses import dataclass

POSITION_SCHEMES = ("none", "sinusoidal", "learned", "rotary", "alibi")
NORMS = ("none", "layer", "rms")
NORM_PLACES = ("pre", "post")
ACTIVATIONS = ("relu", "gelu", "gelu_tanh", "swiglu")


@dataclass(frozen=True)
class Settings:
    """The switches of one model; see `clearhead.Example` for what each means.

    Attributes:
        predicts: whether the model goes on past attention: residual, norm, feed-forward, further layers, next word.
        layers: how many.
    """

    heads: int = 1
    mask: str = "none"
    mask_fill: str = "-inf"
    scale: bool = True
    positions: str = "sinusoidal"
    scale_embeddings: bool = True
    norm: str = "none"
    norm_place: str = "pre"
    activation: str = "relu"
    temperature: float = 1.0
    layers: int = 1
    predicts: bool = False
