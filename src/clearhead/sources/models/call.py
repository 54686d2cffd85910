"""One call of an attention kernel, as it was seen: tensors, and what the call was told beside them."""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass(frozen=True, eq=False)
class Call:
    """What entered one attention kernel and what it returned; see `clearhead.trace.capture.attention.Attention`.

    Attributes:
        module: the attention module.
        query: (sequences, heads, queries, d_head).
        key: (sequences, key heads, keys, d_head).
        value: (sequences, key heads, keys, d_value).
        output: (sequences, queries, heads, d_value).
        scale: what the products were multiplied by.
        kernel: "sdpa", "eager" ..., or "the module's own".
        mask: the tensor the kernel was given, boolean or added, (sequences or 1, heads or 1, queries or 1, keys or
            more), or None.
        causal: whether the kernel masked later keys by itself.
        soft_cap: the bound of the scores, or None.
        bias: what was added to the scores beside the mask, or None.
        sink: (heads,) logits of the sinks, or None.
        dropout: the share of weights dropped.
        softmax_dtype: the format of the softmax, where the kernel is known to round to another than the query's.
        notes: sentences for the reader.
        off: the heads that were switched off.
        weights_set: (head, query, key, weight) of the weights that were set by hand, places in the whole text.
    """

    module: torch.nn.Module
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    output: torch.Tensor
    scale: float
    kernel: str
    mask: torch.Tensor | None = None
    causal: bool = False
    soft_cap: float | None = None
    bias: torch.Tensor | None = None
    sink: torch.Tensor | None = None
    dropout: float = 0.0
    softmax_dtype: str = ""
    notes: tuple[str, ...] = ()
    off: tuple[int, ...] = ()
    weights_set: tuple[tuple[int, int, int, float], ...] = ()
