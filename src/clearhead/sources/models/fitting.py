"""Whether what is given has room in the model: its positions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch

from clearhead.sources.models.failing import CaptureError
from clearhead.sources.models.numbered import counts_itself
from clearhead.sources.models.usable import setting

if TYPE_CHECKING:
    from clearhead.sources.models.inputs import Given

MOST = ("max_position_embeddings", "n_positions", "max_seq_len")
MOST_OF_A_DECODER = ("max_target_positions", "max_decoder_position_embeddings")
MOST_OF_AN_ENCODER = ("max_encoder_position_embeddings", "max_source_positions")
"""The settings that say how many positions there are, the likeliest first."""

EXTRA_ROWS = 8
"""Rows that a table of positions may have beyond those it is said to have (OPT and BART: 2)."""


def fitting(model: Any, given: Given, generate: int) -> tuple[str, ...]:
    """Notes about what goes beyond the positions that the model was made for.

    Raises:
        CaptureError: the positions stand in a table, and it is too short.
    """
    notes: tuple[str, ...] = ()
    pair = bool(setting(getattr(model, "config", None), "is_encoder_decoder"))
    for name, rows, more in (
        ("text", given.tokens, 0 if pair else generate),
        ("decoder", given.decoder, generate if pair else 0),
    ):
        begun = len(rows[0]) if rows else min(more, 1)  # a decoder that is given nothing has its start mark
        if begun:
            read = begun + max(0, more - 1)  # the last token that is said is not read
            notes += _fits(model, name, read, pair)
    return notes


def most_positions(model: Any, name: str = "text", pair: bool = False) -> int | None:
    """How many positions the model was made for, as its configuration says."""
    config = getattr(model, "config", None)
    own = (MOST_OF_A_DECODER if name == "decoder" else MOST_OF_AN_ENCODER) if pair else ()
    inner = getattr(config, "get_text_config", None)
    try:
        config = inner() if callable(inner) and not pair else config
    except ValueError:  # several texts' configurations
        return None
    part = getattr(config, "decoder" if name == "decoder" else "encoder", None) if pair else None
    config = part if hasattr(part, "to_dict") else config  # a pair of two models, each with its own
    found = setting(config, *own, *MOST)
    return found if isinstance(found, int) and found > 0 else None


def _fits(model: Any, name: str, length: int, pair: bool) -> tuple[str, ...]:
    most = most_positions(model, name, pair)
    if most is None:
        return ()
    tables = list(_tables(model, most))
    room = min([most, *tables])
    if length <= room:
        return ()
    if tables:
        raise CaptureError(
            f"{name}: {length} tokens are longer than this model's {room} positions, which stand in a table; "
            f"expected at most {room}"
        )
    return (f"{length} tokens are more than the {most} positions that this model was made for",)


def _tables(model: torch.nn.Module, most: int) -> Iterator[int]:
    """The positions of each table of so many: learned, or worked out once."""
    own_count = counts_itself(model)
    for path, module in model.named_modules():
        for own, table in _tensors(module):
            name = f"{path}.{own}".lower().removesuffix(".weight")
            placed = "pos" in name.rpartition(".")[2] or name.endswith("wpe")
            other = any(
                part in name
                for part in ("relative", "rel_", "bias", "distance", "vision", "visual", "token_type")
            )
            if placed and not other and table.ndim == 2 and most <= len(table) <= most + EXTRA_ROWS:
                before = (getattr(module, "padding_idx", None) or 0) + 1 if own_count else 0
                yield min(most, len(table) - before)


def _tensors(module: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """A module's own tensors by name, those among them that it holds as neither parameter nor buffer (CTRL)."""
    held = {**vars(module), **module._buffers, **module._parameters}
    return ((name, one) for name, one in held.items() if isinstance(one, torch.Tensor))
