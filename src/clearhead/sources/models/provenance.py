"""Where the numbers of a capture come from, and the next words that the model says."""

from __future__ import annotations

import platform
import re
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import torch

from clearhead.sources.models.held import dtype_name
from clearhead.sources.models.inputs import Given
from clearhead.sources.models.running import can_go_on
from clearhead.sources.models.tokens import read_tokens
from clearhead.sources.models.usable import device_of, dtype_of, setting
from clearhead.trace.capture.capture import Words

MOST_LIKELY = 10
"""Next words that are kept, the likeliest first."""

IN_THE_CACHE = re.compile(r"models--([^/\\]+)")
"""The folder of a model in the cache of the hub, "models--org--name"."""


def provenance(model: Any, given: Given) -> dict[str, Any]:
    """Model, format, device, text, versions and notes, as JSON-able data."""
    return {
        "model": called(given.name) or name_of(model),
        "class": type(model).__name__,
        "type": str(getattr(getattr(model, "config", None), "model_type", "")),
        "dtype": dtype_name(dtype_of(model)),
        "device": str(device_of(model)),
        "training": bool(model.training),
        "text": given.text,
        "notes": list(given.notes),
        "versions": {
            "clearhead": _own_version(), "torch": str(torch.__version__), **_of_transformers(),
            "numpy": np.__version__, "python": platform.python_version(),
        },
    }  # fmt: skip


def _of_transformers() -> dict[str, str]:
    """Its version, if anything has imported it: a module of PyTorch alone has no need of it."""
    known = sys.modules.get("transformers")
    return {} if known is None else {"transformers": str(known.__version__)}


def _own_version() -> str:
    try:
        return version("clearhead")
    except PackageNotFoundError:  # used from its source folder
        return "not installed"


def name_of(model: Any) -> str:
    """What a model is called: what it was loaded by, or else its class."""
    return called(str(setting(getattr(model, "config", None), "_name_or_path") or "")) or type(model).__name__


def called(name: str) -> str:
    """A name without what leads to it on this machine: its name on the hub, or that of its folder or file."""
    if cached := IN_THE_CACHE.search(name):
        return cached[1].replace("--", "/")
    path = Path(name).expanduser()
    return path.resolve().name if name and (path.is_absolute() or path.exists()) else name


def next_words(model: Any, logits: torch.Tensor | None, given: Given, tokenizer: Any) -> Words:
    """The likeliest next tokens after each sequence, if the model goes on with words.

    Args:
        model: what was run.
        logits: (sequence, position, vocabulary) of one pass, or of the last word of a generation, position 1.
        given: what it was given.
        tokenizer: reads the words.
    """
    if logits is None or logits.ndim != 3 or not can_go_on(model):
        return ()
    if logits.shape[1] == 1:
        places: tuple[int, ...] = (0,) * len(logits)
    elif logits.shape[1] == given.length and len(logits) == len(given.answering):
        places = given.last
    else:
        return ()
    return tuple(_likeliest(row[place], tokenizer) for row, place in zip(logits, places, strict=True))


def _likeliest(logits: torch.Tensor, tokenizer: Any) -> tuple[dict[str, Any], ...]:
    probabilities = torch.softmax(logits.double(), -1)
    if not bool(torch.isfinite(probabilities).all()):
        return ()  # a model whose numbers are none says no word
    top = torch.topk(probabilities, min(MOST_LIKELY, len(probabilities)))
    return tuple(
        {
            "id": int(number),
            "text": read_tokens(tokenizer, [int(number)])[0].text,
            "probability": float(share),
        }
        for share, number in zip(top.values, top.indices, strict=True)
    )
