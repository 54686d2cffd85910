"""How much memory a capture will need, said before it runs."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from clearhead.sources.models.failing import CaptureError
from clearhead.sources.models.inputs import Given
from clearhead.sources.models.usable import device_of, dtype_of, setting

GIB = 2**30


@dataclass(frozen=True)
class Stack:
    """The sizes of one stack of attention layers, as a configuration says them."""

    layers: int
    heads: int
    key_heads: int
    d_head: int

    @classmethod
    def of(cls, config: Any, *layers: str) -> Stack | None:
        """None if the configuration does not say them."""
        count = setting(config, *layers, "num_hidden_layers")
        heads, width = setting(config, "num_attention_heads"), setting(config, "hidden_size")
        if not all(isinstance(one, int) for one in (count, heads, width)):
            return None
        d_head = setting(config, "head_dim", "d_kv")
        shared = setting(config, "num_key_value_heads")
        return cls(
            count,
            heads,
            shared if isinstance(shared, int) else heads,
            d_head if isinstance(d_head, int) else width // heads,
        )

    def kept(self, queries: int, keys: int) -> int:
        """The numbers of Q, K, V and the kernel's output, of one sequence."""
        return 2 * self.layers * self.d_head * (self.heads * queries + self.key_heads * keys)

    def squares(self, queries: int, keys: int) -> int:
        """The numbers of one layer's scores, of one sequence."""
        return self.heads * queries * keys


@dataclass(frozen=True)
class Need:
    """Bytes that a capture needs beside the model.

    Attributes:
        kept: of Q, K, V and the outputs of all layers.
        squares: of the scores and weights that the model's own code makes, queries times keys, and of its masks.
        logits: of the next words of every position.
    """

    kept: int
    squares: int
    logits: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.kept + self.squares + self.logits


def foresee(model: torch.nn.Module, given: Given, generate: int) -> None:
    """Refuse a run that would need more memory than there is.

    Raises:
        CaptureError: names what is needed and what is free.
    """
    need = needed(model, given, generate)
    free = free_memory(device_of(model))
    if need is None or free is None or need.total <= free:
        return
    parts = [
        f"{size / GIB:.2f} GiB of {what}"
        for what, size in (
            ("queries, keys, values and outputs", need.kept), ("scores and masks, queries times keys", need.squares),
            ("logits", need.logits),
        )
        if size
    ]  # fmt: skip
    raise CaptureError(
        f"this capture would need about {need.total / GIB:.2f} GiB ({', '.join(parts)}) and {free / GIB:.2f} GiB are "
        f"free on {device_of(model)}; expected a shorter text or fewer sequences, or force=True to try it all the same"
    )


def needed(model: torch.nn.Module, given: Given, generate: int) -> Need | None:
    """An estimate from the model's configuration; None if that does not say enough."""
    config = getattr(model, "config", None)
    pair = bool(setting(config, "is_encoder_decoder"))
    read = len(given.tokens[0]) if given.tokens else 0
    said = (len(given.decoder[0]) if given.decoder else 0) + generate if pair else read + generate
    sequences = max(len(given.tokens), len(given.decoder), 1)
    found = list(_stacks(config, pair, read, said))
    if not found:
        return None
    bytes_each = dtype_of(model).itemsize
    kept = sum(stack.kept(queries, keys) for stack, queries, keys in found)
    masked = _masked(given, config)
    squares = sum(_squares(model, stack, queries, keys, bytes_each, masked) for stack, queries, keys in found)
    return Need(
        kept * sequences * bytes_each, squares * sequences, _logits(model, config, sequences, said, generate)
    )


def _stacks(config: Any, pair: bool, read: int, said: int) -> Any:
    """Each stack, with how many positions ask in it and how many are asked."""
    if pair:
        encoder = Stack.of(config, "encoder_layers", "num_layers")
        decoder = Stack.of(config, "decoder_layers", "num_decoder_layers")
        if encoder is not None and decoder is not None:
            yield from ((encoder, read, read), (decoder, said, said), (decoder, said, read))
        return
    inner = getattr(config, "get_text_config", None)
    stack = Stack.of(inner() if callable(inner) else config)
    if stack is not None:
        yield stack, said, said


def _masked(given: Given, config: Any) -> bool:
    """Whether a fused kernel is given a mask: with padding or a window. It needs none that is causal alone."""
    padded = any(token.padding for row in (*given.tokens, *given.decoder) for token in row)
    return padded or bool(setting(config, "sliding_window") or setting(config, "attention_chunk_size"))


def _squares(
    model: torch.nn.Module, stack: Stack, queries: int, keys: int, bytes_each: int, masked: bool
) -> int:
    """Bytes of queries times keys of one sequence: a mask of one byte a cell, and what eager code makes."""
    mask = queries * keys if masked else 0
    if not _in_registry(model):  # watched: scores and weights of every layer are kept until the end
        return mask + 2 * stack.layers * stack.squares(queries, keys) * bytes_each
    if setting(getattr(model, "config", None), "_attn_implementation") == "eager":
        return queries * keys * bytes_each + 2 * stack.squares(queries, keys) * bytes_each
    return mask


def _in_registry(model: torch.nn.Module) -> bool:
    """Whether the model's own code looks its attention function up."""
    files = {type(module).__module__ for module in model.modules()}
    return any("ALL_ATTENTION_FUNCTIONS" in vars(sys.modules[file]) for file in files if file in sys.modules)


def _logits(model: Any, config: Any, sequences: int, said: int, generate: int) -> int:
    heads = getattr(model, "get_output_embeddings", None)
    try:
        if generate or not callable(heads) or heads() is None:
            return 0
    except (AttributeError, NotImplementedError):
        return 0
    inner = getattr(config, "get_text_config", None)
    words = (
        setting(config, "vocab_size") or setting(inner() if callable(inner) else config, "vocab_size") or 0
    )
    return int(words) * sequences * said * dtype_of(model).itemsize


def free_memory(device: torch.device) -> int | None:
    """Bytes that can still be taken there; None where the system does not say."""
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        held = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return int(free + held)
    if device.type != "cpu":
        return None
    found = [one for one in (_available(), _left_in_group()) if one is not None]
    return min(found, default=None)


def _available() -> int | None:
    """What Linux says is available, its caches included."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)


def _left_in_group() -> int | None:
    """What is left of the limit of a container (cgroup v2); its file caches count as free."""
    try:
        group = Path("/sys/fs/cgroup")
        most = (group / "memory.max").read_text("ascii").strip()
        used = int((group / "memory.current").read_text("ascii"))
        stats = dict(line.split() for line in (group / "memory.stat").read_text("ascii").splitlines())
    except (OSError, ValueError):
        return None
    if most == "max":
        return None
    return max(0, int(most) - used + int(stats.get("inactive_file", 0)))
