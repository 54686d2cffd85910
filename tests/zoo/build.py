"""A row's model with seeded weights, and whether the installed transformers has it."""

from collections import Counter
from copy import deepcopy
from typing import Any

import torch
import transformers
from torch import nn
from transformers import AutoConfig
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from .row import Tiny

GAIN = 1.2
"""Scores of queries and keys made from a normed vector then have a deviation of about 1.2²: no row is near uniform."""

CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)


def why_missing(tiny: Tiny) -> str:
    """Why the installed transformers cannot build the row; empty if it can."""
    if tiny.type not in CONFIG_MAPPING:
        return f"transformers {transformers.__version__} has no model type {tiny.type}"
    return of_this_version(tiny.missing)


def why_refused(tiny: Tiny) -> str:
    """Words of the reason why the row, or some layers of it, cannot be captured; empty if all can."""
    return of_this_version(tiny.refused)


def layers_of(tiny: Tiny) -> Counter[tuple[int, int]]:
    """How many layers attend with so many query heads and key heads, as the installed transformers does it."""
    heads = Counter[tuple[int, int]]()
    for layers, queries, keys in tiny.attends.values():
        heads[queries, keys] += layers
    if repeated := of_this_version(tiny.repeated):
        ((queries, _),) = heads
        return Counter({(queries, queries): repeated})
    return heads


def of_this_version(said: dict[str, Any]) -> Any:
    """What is said of the installed transformers, or an empty text."""
    return next((one for start, one in said.items() if transformers.__version__.startswith(start)), "")


def build(tiny: Tiny, dtype: torch.dtype = torch.float32, seed: int = 0, **settings: str) -> nn.Module:
    """The model, ready to evaluate, in a state that depends on the row and the seed only.

    Built as `from_config` builds it, so with the attention function that is the family's default, unless
    `attn_implementation` names another.
    """
    config = AutoConfig.for_model(tiny.type, **deepcopy(tiny.config))  # some configurations take parts out
    kind = getattr(transformers, tiny.model)
    make = kind.from_config if tiny.model.startswith("Auto") else kind._from_config
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = make(config, **settings)
        with torch.no_grad():
            draw(model)
    return model.to(dtype).eval()


def output(model: nn.Module, tiny: Tiny) -> torch.Tensor:
    """What a plain forward of the row's inputs returns first, apart from single numbers: logits or hidden states.

    Seeded, as some families draw at random even when they are evaluated (which patches to read, how to hash).
    """
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        returned = model(**tiny.inputs())
    return next(value for value in returned.values() if isinstance(value, torch.Tensor) and value.ndim > 1)


def draw(model: nn.Module) -> None:
    """New weights: normal, so wide that what they are multiplied with keeps its size; gains near 1, biases near 0.

    The usual initial weights have deviations of 0.02: every row of attention would be nearly uniform, and errors in
    masks, scales or heads could hide in the rounding.
    """
    for module in model.modules():
        for parameter in module.parameters(recurse=False):
            if parameter.ndim < 2:
                parameter.add_(0.1 * torch.randn_like(parameter))
            else:
                fan = parameter[0].numel() if isinstance(module, CONVOLUTIONS) else parameter.shape[-1]
                parameter.normal_(0, GAIN * fan**-0.5)
