"""A call of PyTorch's scaled_dot_product_attention, as one call of attention."""

from __future__ import annotations

from typing import Any

import torch

from clearhead.sources.models.call import Call
from clearhead.sources.models.watcher_graph import NotUnderstoodError
from clearhead.sources.models.watcher_where import heads_of

NAMES = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", "enable_gqa")


def sdpa_call(
    module: torch.nn.Module,
    sizes: set[int],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    output: torch.Tensor,
) -> Call:
    """The call.

    Args:
        module: in whose forward it was made.
        sizes: those of the axes of what that forward was given.
        args, kwargs: what the kernel was given.
        output: what it returned.

    Raises:
        NotUnderstoodError: its tensors have more axes than sequences, heads, positions and features.
    """
    told = dict(zip(NAMES, args, strict=False)) | kwargs
    axes = output.ndim
    if axes > 4:
        raise NotUnderstoodError(
            f"its kernel was given {axes} axes; expected sequences, heads, positions and features"
        )
    mask = told.get("attn_mask")
    heads = _heads(module, sizes, output) if axes == 3 else 1
    query, key, value, result = (
        _four(one, heads) for one in (told["query"], told["key"], told["value"], output)
    )
    if mask is not None:
        mask = _mask(mask, axes, heads, result.shape[0])
    batch = result.shape[0]
    query, key, value = (one.expand(batch, *one.shape[1:]) for one in (query, key, value))
    scale = told.get("scale")
    return Call(
        module, query.detach(), key.detach(), value.detach(), result.transpose(1, 2).detach(),
        query.shape[-1] ** -0.5 if scale is None else float(scale), "sdpa", mask=mask,
        causal=bool(told.get("is_causal", False)), dropout=float(told.get("dropout_p", 0.0)),
    )  # fmt: skip


def _heads(module: torch.nn.Module, sizes: set[int], output: torch.Tensor) -> int:
    size = output.shape[0]
    told = [
        one for one in sorted(heads_of(module)) if size % one == 0 and (size // one in sizes or size == one)
    ]
    return told[0] if told else 1


def _four(tensor: torch.Tensor, heads: int) -> torch.Tensor:
    if tensor.ndim == 4:
        return tensor
    if tensor.ndim == 2:
        return tensor[None, None]
    return tensor.reshape(tensor.shape[0] // heads, heads, *tensor.shape[1:])


def _mask(mask: torch.Tensor, axes: int, heads: int, sequences: int) -> torch.Tensor:
    """The mask as (sequences or 1, heads or 1, queries or 1, keys)."""
    if mask.ndim == 3 and axes == 3:
        return mask[:, None] if len(mask) == 1 else mask.reshape(sequences, heads, *mask.shape[1:])
    if mask.ndim == 3:
        return mask[None]
    return mask
