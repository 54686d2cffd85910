"""The study model in PyTorch, for training: the computation of `clearhead.core.transformer`, with its names."""

from __future__ import annotations

from dataclasses import asdict
from math import inf, sqrt

import torch
from torch import Tensor

from clearhead.core.settings import Settings
from clearhead.sources.worked.study.grammar import MOST_WORDS
from clearhead.sources.worked.study.words import VOCABULARY

EPSILON = 1e-5
"""Inside the root of the RMS norm, as in `core.ops.normalise`."""

D_MODEL, D_HEAD, D_HIDDEN = 32, 6, 16


def settings(scale: bool = True, mask: bool = True) -> Settings:
    """How the study model computes; the two switches make the models that fail."""
    return Settings(
        heads=4, layers=2, positions="learned", scale_embeddings=False, norm="rms", norm_place="pre", activation="relu",
        mask="causal" if mask else "none", scale=scale, predicts=True,
    )  # fmt: skip


def fresh(how: Settings, seed: int, d_head: int = D_HEAD) -> dict[str, Tensor]:
    """Random parameters by their names. The same seed gives the same numbers, whatever the switches.

    Queries and keys start with components of variance 1, which is what Vaswani et al. 2017 (section 3.2.1, footnote 4)
    reason from; what is written back into the stream starts smaller, by the root of the number of writers (Radford et
    al. 2019, section 2.3).
    """
    random = torch.Generator().manual_seed(seed)

    def normal(*shape: int, deviation: float) -> Tensor:
        return torch.randn(*shape, generator=random) * deviation

    joined, quiet = how.heads * d_head, 1 / sqrt(2 * how.layers)
    parameters = {
        "E": normal(len(VOCABULARY), D_MODEL, deviation=0.5),
        "P": normal(1 + MOST_WORDS, D_MODEL, deviation=0.5),
    }
    for layer in range(how.layers):
        for name in ("W_Q", "W_K", "W_V"):
            parameters[f"layer{layer}.{name}"] = normal(D_MODEL, joined, deviation=D_MODEL**-0.5)
        parameters[f"layer{layer}.W_O"] = normal(joined, D_MODEL, deviation=joined**-0.5 * quiet)
        parameters[f"layer{layer}.W_1"] = normal(D_MODEL, D_HIDDEN, deviation=D_MODEL**-0.5)
        parameters[f"layer{layer}.b_1"] = torch.zeros(D_HIDDEN)
        parameters[f"layer{layer}.W_2"] = normal(D_HIDDEN, D_MODEL, deviation=D_HIDDEN**-0.5 * quiet)
        parameters[f"layer{layer}.b_2"] = torch.zeros(D_MODEL)
        parameters[f"layer{layer}.gain_1"] = torch.ones(D_MODEL)
        parameters[f"layer{layer}.gain_2"] = torch.ones(D_MODEL)
    parameters["gain_final"] = torch.ones(D_MODEL)
    parameters["W_U"] = normal(D_MODEL, len(VOCABULARY), deviation=D_MODEL**-0.5)
    return {name: values.requires_grad_() for name, values in parameters.items()}


def logits(parameters: dict[str, Tensor], how: Settings, rows: Tensor) -> tuple[Tensor, list[Tensor]]:
    """(sentence, position) numbers of words to (sentence, position, vocabulary), and the weights of every layer.

    The weights are (sentence, head, query, key).
    """
    maps = list[Tensor]()
    stream = parameters["E"][rows] + parameters["P"][: rows.shape[1]]
    for layer in range(how.layers):
        own = {name: parameters[f"layer{layer}.{name}"] for name in _OF_LAYER}
        output, weights = _attention(own, how, _rms(stream, own["gain_1"]))
        maps.append(weights)
        stream = stream + output
        opened = _rms(stream, own["gain_2"]) @ own["W_1"] + own["b_1"]
        stream = stream + opened.relu() @ own["W_2"] + own["b_2"]
    return _rms(stream, parameters["gain_final"]) @ parameters["W_U"], maps


_OF_LAYER = ("W_Q", "W_K", "W_V", "W_O", "W_1", "b_1", "W_2", "b_2", "gain_1", "gain_2")


def _attention(own: dict[str, Tensor], how: Settings, X: Tensor) -> tuple[Tensor, Tensor]:
    def heads(name: str) -> Tensor:
        return (X @ own[name]).view(*X.shape[:2], how.heads, -1).transpose(1, 2)

    scores = heads("W_Q") @ heads("W_K").transpose(-1, -2)
    if how.scale:
        scores = scores / sqrt(own["W_Q"].shape[1] / how.heads)
    if how.mask == "causal":
        scores = scores + torch.full(scores.shape[-2:], -inf).triu(1)
    weights = scores.softmax(-1)
    output = (weights @ heads("W_V")) @ own["W_O"].view(how.heads, -1, D_MODEL)
    return output.sum(1), weights


def _rms(x: Tensor, gain: Tensor) -> Tensor:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPSILON) * gain


def as_config(how: Settings) -> dict[str, object]:
    """The switches as they are kept beside the weights."""
    return asdict(how)
