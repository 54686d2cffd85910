"""All that the numbers of a run depend on, by the names that messages call it: a store is gone on with only by this."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import torch

from clearhead.sources.models.inputs import Given
from clearhead.sources.models.provenance import provenance
from clearhead.sources.models.usable import setting
from clearhead.trace.capture.change import Change
from clearhead.trace.capture.store_about import DIGEST

PIECE = 2**24
"""Numbers of a tensor that are digested at once."""


def made_of(
    model: torch.nn.Module, given: Given, generate: int, changes: Sequence[Change], bins: int
) -> dict[str, Any]:
    """What a store says of the run that it is of, as JSON-able data; what is too long to be said as a digest."""
    about = provenance(model, given)
    config = getattr(model, "config", None)
    versions = dict(about["versions"])
    if bins:
        versions["numba"] = _version_of_numba()  # its sums are rounded otherwise than those without
    return {
        "model": about["model"],
        "class": about["class"],
        "dtype": about["dtype"],
        "device": about["device"],
        "kernel": str(setting(config, "_attn_implementation") or ""),
        "training": about["training"],
        "tokens generated": generate,
        "changes": [str(change) for change in changes],
        "bins of the overview": bins,
        "versions": versions,
        "text": _digest_of_text(given),
        "inputs": digest_of(given.inputs),
        "settings": _digest_of_settings(config),
        "weights": digest_of(dict(_weights(model))),
    }


def digest_of(tensors: Mapping[str, Any]) -> str:
    """A digest of values by name: of tensors every bit, their formats and shapes."""
    made = hashlib.blake2b(digest_size=16)
    for name, value in tensors.items():
        if not isinstance(value, torch.Tensor):
            made.update(f"{name}={value if isinstance(value, int | float | str) else type(value)};".encode())
            continue
        made.update(f"{name}:{value.dtype}{tuple(value.shape)};".encode())
        for piece in _pieces(value):
            made.update(piece)
    return DIGEST + made.hexdigest()


def _pieces(tensor: torch.Tensor) -> Iterator[Any]:
    """The bits of a tensor, some at a time."""
    flat = tensor.detach().reshape(-1)
    for first in range(0, flat.numel(), PIECE):
        yield flat[first : first + PIECE].to("cpu").contiguous().view(torch.uint8).numpy().data


def _weights(model: torch.nn.Module) -> Iterator[tuple[str, Any]]:
    """Every parameter and buffer; those without numbers (elsewhere until they are needed) by their shapes alone."""
    for name, tensor in (*model.named_parameters(), *model.named_buffers()):
        yield name, str(tuple(tensor.shape)) if tensor.is_meta else tensor


def _digest_of_text(given: Given) -> str:
    shown = [[[token.as_dict() for token in row] for row in rows] for rows in (given.tokens, given.decoder)]
    return digest_of_words(json.dumps([given.text, given.answer, shown]))


def _digest_of_settings(config: Any) -> str:
    """Of the model's configuration, but for where it was loaded from."""
    told = config.to_dict() if callable(getattr(config, "to_dict", None)) else {}
    return digest_of_words(json.dumps({**told, "_name_or_path": ""}, sort_keys=True, default=str))


def digest_of_words(text: str) -> str:
    """A digest of a text."""
    return DIGEST + hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _version_of_numba() -> str:
    if find_spec("numba") is None:
        return "not installed"
    from importlib.metadata import version

    return version("numba")
