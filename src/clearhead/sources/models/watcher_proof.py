"""What was taken for attention is worked out again, and has to give what the model computed."""

from __future__ import annotations

import torch

from clearhead.sources.models.call import Call
from clearhead.sources.models.watcher_graph import NotUnderstoodError
from clearhead.sources.models.watcher_scores import Made


def prove(call: Call, made: Made, weights: torch.Tensor) -> None:
    """Work the weights and the output out again.

    Raises:
        NotUnderstoodError: they are not the model's.
    """
    groups = [call.query.shape[1] // one.shape[1] for one in (call.key, call.value)]
    key, value = (
        one.double().repeat_interleave(n, 1) for one, n in zip((call.key, call.value), groups, strict=True)
    )
    query = call.query.double()
    scores = query @ key.transpose(-1, -2) * call.scale
    size = float(query.norm(dim=-1).max() * key.norm(dim=-1).max()) * abs(call.scale)
    if call.soft_cap is not None:
        scores = call.soft_cap * torch.tanh(scores / call.soft_cap)
    if made.bias is not None:
        scores = scores + made.bias
        size += float(made.bias.abs().max())
    blind = torch.zeros(scores.shape[:3], dtype=torch.bool, device=scores.device)
    if made.hidden is not None:
        blind = made.hidden.all(-1).expand(blind.shape)
        scores = scores.masked_fill(made.hidden, -torch.inf)
    again = torch.softmax(scores, -1)
    formats = {call.query.dtype, weights.dtype, getattr(torch, call.softmax_dtype or "float64")}
    unit = max(torch.finfo(one).eps for one in formats if one.is_floating_point)
    allowed = unit * (16 + 2 * (call.query.shape[-1] + 8) * size)
    ours = again if not call.dropout else again.masked_fill(weights == 0, 0.0) / (1 - call.dropout)
    if not _close(ours, weights, blind, allowed):
        raise NotUnderstoodError("its weights, worked out again from what was seen, are not those it used")
    output = (weights.double() @ value).transpose(1, 2)
    bound = (
        unit * (16 + call.key.shape[2]) * float(value.abs().max()) * max(1.0, float(weights.sum(-1).max()))
    )
    if not _close(output.transpose(1, 2), call.output.transpose(1, 2), blind, bound):
        raise NotUnderstoodError(
            "its output, worked out again from weights and values, is not what it computed"
        )


def _close(ours: torch.Tensor, theirs: torch.Tensor, blind: torch.Tensor, allowed: float) -> bool:
    return bool((((ours - theirs.double()).abs() <= allowed).all(-1) | blind).all())
