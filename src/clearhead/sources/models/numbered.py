"""The places of a padded text's tokens: counted from its own first token, so that padding changes nothing."""

from __future__ import annotations

import sys
from collections.abc import MutableMapping
from typing import Any

import torch

from clearhead.sources.models.usable import accepts, setting

OWN_COUNT = "create_position_ids_from_input"
"""How functions begin of models that count from the ids themselves, with an offset of their own (RoBERTa's)."""


def counts_itself(model: torch.nn.Module) -> bool:
    """Whether the model's code has a function that makes position ids of the token ids."""
    for kind in {type(module) for module in model.modules()}:
        beside = vars(sys.modules[kind.__module__]) if kind.__module__ in sys.modules else {}
        if any(name.startswith(OWN_COUNT) for name in (*dir(kind), *beside)):
            return True
    return False


def side_of_padding(model: torch.nn.Module, generate: int) -> str | None:
    """Where padding has to stand so that it changes nothing; None where the tokenizer may choose.

    What goes on with words does so after its last position, so no padding may stand there. A model whose places cannot
    be told counts them from the first position, and padding on the right leaves them alone.
    """
    if generate:
        return None if setting(getattr(model, "config", None), "is_encoder_decoder") else "left"
    return None if accepts(model, "position_ids") or counts_itself(model) else "right"


def numbered(model: torch.nn.Module, made: MutableMapping[str, Any], generate: int) -> tuple[str, ...]:
    """Add position ids where padding stands on the left, as transformers' `generate` does; says so in a note.

    Most models count the places from the first position, padding or not; a text would then be read as if it began
    later.
    """
    mask = made.get("attention_mask")
    if mask is None or bool(mask[:, 0].all()) or "position_ids" in made or not accepts(model, "position_ids"):
        return ()
    if counts_itself(model):
        return ()
    if not generate:  # `generate` makes them itself, word by word
        made["position_ids"] = (mask.long().cumsum(-1) - 1).clamp(min=0)
    return (
        "places are counted from each text's own first token (position_ids made from the mask), so that padding on "
        "the left changes nothing; a call of the model with the mask alone counts it in, and gives other numbers",
    )
