"""Whether a model's forward takes what it is to be given: a part of a model, such as a layer, takes something else."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import torch

from clearhead.sources.models.failing import CaptureError

FEW = 4
"""Arguments that are listed."""


def check_takes(model: torch.nn.Module, inputs: Mapping[str, Any]) -> None:
    """Refuse a module whose forward cannot be called with these arguments.

    Raises:
        CaptureError: it cannot; the message says what it takes and what is expected in its place.
    """
    forward = inspect.signature(model.forward)
    try:
        forward.bind(**inputs)
        return
    except TypeError:
        pass
    kind = type(model)
    names = [one.name for one in forward.parameters.values() if one.kind is not one.VAR_KEYWORD]
    listed = ", ".join(names[:FEW]) + (" ..." if len(names) > FEW else "")
    given = ", ".join(inputs)
    if kind.__module__.startswith("transformers.models.") and not hasattr(model, "get_input_embeddings"):
        raise CaptureError(
            f"model: {kind.__name__} is a part of a model of transformers, whose masks and positions come from the "
            f"whole (it takes {listed}); expected the whole model, as from_pretrained or ForCausalLM gives it"
        )
    if kind.forward is torch.nn.Module.forward:
        raise CaptureError(
            f"model: {kind.__name__} has no forward of its own; expected a model that can be run"
        )
    raise CaptureError(
        f"model: {kind.__name__} cannot be run on {given}: its forward takes {listed}; expected a model that reads "
        "token ids, or inputs= with what it takes (clearhead.check looks at one attention by itself)"
    )
