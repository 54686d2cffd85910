"""How much memory a capture will need, said before it runs."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import torch

from clearhead.sources.models.failing import CaptureError
from clearhead.sources.models.inputs import Given
from clearhead.sources.models.memory import free_memory
from clearhead.sources.models.sparing import bytes_of_logits
from clearhead.sources.models.stacks import Use, uses_of
from clearhead.sources.models.usable import device_of, dtype_of, setting
from clearhead.trace.capture.arguments import argument, either

GIB = 2**30

PASSING = 3
"""Vectors of a feed-forward layer's inner width that are there at once for each position: gate, input and product."""


@dataclass(frozen=True)
class Need:
    """Bytes that a capture needs beside the model.

    Attributes:
        kept: of Q, K, V and the outputs of all layers, or of the largest layer if each goes to a file at once.
        squares: of the scores and weights that the model's own code makes, queries times keys, and of its masks.
        logits: of the next words, of the positions that the model makes them for.
        cache: of the keys and values that the model itself keeps while it goes on with words.
        passing: of what passes through a layer while it runs.
    """

    kept: int
    squares: int
    logits: int
    cache: int = 0
    passing: int = 0

    @property
    def total(self) -> int:
        """All of it."""
        return self.kept + self.squares + self.logits + self.cache + self.passing


def foresee(model: torch.nn.Module, given: Given, generate: int, *, stored: bool = False) -> None:
    """Refuse a run that would need more memory than there is.

    Args:
        model: the model.
        given: what it is given.
        generate: how many words it goes on with.
        stored: whether each layer is written to a file and let go when it has run.

    Raises:
        CaptureError: names what is needed and what is free.
    """
    need = needed(model, given, generate, stored=stored)
    free = free_memory(device_of(model))
    if need is None or free is None or need.total <= free:
        return
    parts = [
        f"{size / GIB:.2f} GiB of {what}"
        for what, size in (
            ("queries, keys, values and outputs", need.kept), ("scores and masks, queries times keys", need.squares),
            ("logits", need.logits), ("the model's own cache", need.cache),
            ("what passes through a layer", need.passing),
        )
        if size
    ]  # fmt: skip
    raise CaptureError(
        f"this capture of {_counted(given, generate)} would need about {need.total / GIB:.2f} GiB ({', '.join(parts)}) "
        f"and {free / GIB:.2f} GiB are free on {device_of(model)}; expected "
        f"{all_the_same('a shorter text', 'fewer sequences')}"
    )


def all_the_same(*ways: str) -> str:
    """What is expected instead of a run that seems too large, or that it is tried all the same."""
    force = argument("force", True)
    return either(*ways, force and f"{force} to try it all the same")


def _counted(given: Given, generate: int) -> str:
    """How much is captured, in words."""
    sequences = max(len(given.tokens), len(given.decoder), 1)
    length = len(given.tokens[0]) if given.tokens else given.length
    more = f" and {generate} that follow" if generate else ""
    return f"{length} tokens{more}" + (f" in each of {sequences} sequences" if sequences > 1 else "")


def needed(model: torch.nn.Module, given: Given, generate: int, *, stored: bool = False) -> Need | None:
    """An estimate from the model's configuration; None if that does not say enough. Arguments as of `foresee`."""
    config = getattr(model, "config", None)
    uses = uses_of(config, given, generate)
    if not uses:
        return None
    sequences = max(len(given.tokens), len(given.decoder), 1)
    bytes_each = dtype_of(model).itemsize
    kept = [one.kept // (one.stack.layers if stored else 1) for one in uses]
    cache = sum(one.stack.cached(one.keys) for one in uses if one is not uses[0] or len(uses) == 1)
    masked = _masked(given, config)
    return Need(
        kept=(max(kept) if stored else sum(kept)) * sequences * bytes_each,
        squares=sum(_squares(model, one, bytes_each, masked) for one in uses) * sequences,
        logits=bytes_of_logits(model, given, generate),
        cache=cache * sequences * bytes_each if generate else 0,
        passing=max(one.stack.inner * max(one.first, 1) for one in uses) * PASSING * sequences * bytes_each,
    )


def _masked(given: Given, config: Any) -> bool:
    """Whether a fused kernel is given a mask: with padding or a window. It needs none that is causal alone."""
    padded = any(token.padding for row in (*given.tokens, *given.decoder) for token in row)
    return padded or bool(setting(config, "sliding_window") or setting(config, "attention_chunk_size"))


def _squares(model: torch.nn.Module, use: Use, bytes_each: int, masked: bool) -> int:
    """Bytes of queries times keys of one sequence: a mask of one byte a cell, and what eager code makes."""
    if not _in_registry(model):  # watched: scores and weights of every layer are kept until the end
        mask = use.queries * use.keys if masked else 0
        return mask + 2 * use.stack.layers * use.stack.squares(use.queries, use.keys) * bytes_each
    queries, keys = use.largest
    if setting(getattr(model, "config", None), "_attn_implementation") == "eager":
        return queries * keys * bytes_each + 2 * use.stack.squares(queries, keys) * bytes_each
    return queries * keys if masked else 0


def _in_registry(model: torch.nn.Module) -> bool:
    """Whether the model's own code looks its attention function up."""
    files = {type(module).__module__ for module in model.modules()}
    return any("ALL_ATTENTION_FUNCTIONS" in vars(sys.modules[file]) for file in files if file in sys.modules)
