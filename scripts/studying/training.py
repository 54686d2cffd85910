"""The training loop of the study model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import cos, pi

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from clearhead.core.settings import Settings
from clearhead.sources.worked.study.language import Sentence
from clearhead.sources.worked.study.model import NUMBERS, Model
from clearhead.sources.worked.study.words import START
from studying.network import as_config, fresh, logits

IGNORED = -100
"""The target of a position that has none."""


@dataclass(frozen=True)
class Recipe:
    """Everything that decides how the training goes, beside the sentences and the seed.

    Attributes:
        steps: updates.
        batch: sentences an update.
        rate: the learning rate at its highest, after `warm_up` steps; from there it falls as a cosine to 2 % of it.
        decay: the weight decay of AdamW, for matrices.
        sharpness: what a nat of entropy of attention weights adds to the loss, so that a head looks at one position.
        pressed_from, pressed_fully: the step from which that grows, and how many steps later it is full.
        kept: the steps whose parameters are kept.
    """

    steps: int = 4000
    batch: int = 32
    rate: float = 0.01
    warm_up: int = 100
    decay: float = 0.1
    sharpness: float = 0.02
    pressed_from: int = 600
    pressed_fully: int = 1200
    kept: tuple[int, ...] = (0, 100, 300, 600, 1000, 1600, 2500, 4000)

    def unpressed(self) -> Recipe:
        """The same with nothing added to the loss."""
        return replace(self, sharpness=0.0)


@dataclass(frozen=True)
class Trained:
    """A finished training.

    Attributes:
        models: one for every step that was kept, in order.
        losses: the cross-entropy of every step's batch, without the pressure.
    """

    models: list[Model]
    losses: list[float]


def train(sentences: Sequence[Sentence], how: Settings, recipe: Recipe, seed: int) -> Trained:
    """Train a fresh model; the same arguments give the same numbers on the same machine and version of PyTorch."""
    rows, targets = encoded(sentences)
    parameters = fresh(how, seed)
    order = torch.Generator().manual_seed(1000 + seed)
    optimiser = torch.optim.AdamW(
        [
            {"params": [p for p in parameters.values() if p.ndim == 2], "weight_decay": recipe.decay},
            {"params": [p for p in parameters.values() if p.ndim == 1], "weight_decay": 0.0},
        ],
        lr=recipe.rate,
        betas=(0.9, 0.98),
    )
    models, losses = [_model(parameters, how, 0)], list[float]()
    for step in range(recipe.steps):
        for group in optimiser.param_groups:
            group["lr"] = recipe.rate * _share_of_rate(step, recipe)
        chosen = torch.randint(len(rows), (recipe.batch,), generator=order)
        longest = int((targets[chosen] != IGNORED).sum(1).max())
        loss, entropy = _loss(parameters, how, rows[chosen, :longest], targets[chosen, :longest])
        optimiser.zero_grad()
        (loss + recipe.sharpness * entropy * _share_of_pressure(step, recipe)).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        losses.append(float(loss.detach()))
        if step + 1 in recipe.kept:
            models.append(_model(parameters, how, step + 1))
    return Trained(models, losses)


def encoded(sentences: Sequence[Sentence]) -> tuple[Tensor, Tensor]:
    """(sentence, position) numbers of words with `START` in front, and those of the words that come next."""
    longest = 1 + max(map(len, sentences))
    rows = np.zeros((len(sentences), longest), np.int64)
    targets = np.full((len(sentences), longest), IGNORED)
    for row, sentence in enumerate(sentences):
        numbers = [NUMBERS[word] for word in (START, *sentence)]
        rows[row, : len(numbers)] = numbers
        targets[row, : len(sentence)] = numbers[1:]
    return torch.from_numpy(rows), torch.from_numpy(targets)


def first_gradient(parameters: dict[str, Tensor], how: Settings, sentences: Sequence[Sentence]) -> float:
    """The length of the loss's gradient by W_Q and W_K, over all layers."""
    loss, _ = _loss(parameters, how, *encoded(sentences))
    looked = [values for name, values in parameters.items() if name.endswith(("W_Q", "W_K"))]
    return sum(float(gradient.square().sum()) for gradient in torch.autograd.grad(loss, looked)) ** 0.5


def _loss(
    parameters: dict[str, Tensor], how: Settings, rows: Tensor, targets: Tensor
) -> tuple[Tensor, Tensor]:
    """The cross-entropy of the next words, and the entropy of the weights: summed over heads, a mean over positions."""
    found, maps = logits(parameters, how, rows)
    counted = (targets != IGNORED)[:, None]
    entropies = [-(weights * (weights + 1e-9).log()).sum(-1) for weights in maps]
    entropy = torch.stack([(each * counted).sum() / counted.sum() for each in entropies]).sum()
    return cross_entropy(found.flatten(0, 1), targets.flatten(), ignore_index=IGNORED), entropy


def _share_of_rate(step: int, recipe: Recipe) -> float:
    falling = 0.51 + 0.49 * cos(pi * step / recipe.steps)
    return min(1.0, (step + 1) / recipe.warm_up) * falling


def _share_of_pressure(step: int, recipe: Recipe) -> float:
    return min(1.0, max(0.0, (step - recipe.pressed_from) / recipe.pressed_fully))


def _model(parameters: dict[str, Tensor], how: Settings, step: int) -> Model:
    kept = {name: values.detach().numpy().copy() for name, values in parameters.items()}
    return Model(kept, as_config(how), step)
