"""One call of an attention kernel computed otherwise: with a switch thrown, and all else as the kernel has it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch

from clearhead.sources.models.call import Call
from clearhead.sources.models.masks import added, as_four, forbidden

ROWS_AT_ONCE = 256
"""Queries that are computed together, so that no whole square is made unless the kernel hands its weights over."""

BIAS_LOST = (
    "the model adds its bias within its mask, so that of a masked key is not known: it counts as 0 here"
)


@dataclass(frozen=True, eq=False)
class Switches:
    """What one layer is to do otherwise.

    Attributes:
        said: the changes in words, for the reader.
        mask: no mask: every query sees every key but padding.
        scale: no scale: scores are multiplied by 1.
        off: heads whose mixed values count as 0.
        weights: (head, query, key, weight) of weights that are set, places counted over the whole text.
        padding: boolean (sequences, keys), True for the keys that stay masked when the mask is lifted.
    """

    said: tuple[str, ...] = ()
    mask: bool = False
    scale: bool = False
    off: tuple[int, ...] = ()
    weights: tuple[tuple[int, int, int, float], ...] = ()
    padding: torch.Tensor | None = None


def changed(call: Call, result: Any, switches: Switches, first: int, begins: int) -> tuple[Call, Any]:
    """The call and what its kernel returned, as they are with the switches thrown.

    Args:
        call: what entered the kernel.
        result: what the kernel returned; the new one has its form.
        switches: what is done otherwise.
        first: the place of the first query in the whole text.
        begins: the place of the first key.
    """
    told = replace(
        call, scale=1.0 if switches.scale else call.scale, off=switches.off, weights_set=switches.weights,
        kernel=f"{call.kernel}, changed", softmax_dtype="", notes=(*call.notes, f"changed: {', '.join(switches.said)}"),
    )  # fmt: skip
    if switches.mask:
        told = _unmasked(told, switches.padding, begins)
    old, *rest = result if isinstance(result, tuple) else (result,)
    given = rest[0] if rest and isinstance(rest[0], torch.Tensor) else None
    mixed, weights = _attended(told, first, begins, given is not None)
    # the form of the kernel's own result, strides included: what comes next may take a view of it
    new = torch.empty_like(old).copy_(mixed.transpose(1, 2).reshape(old.shape))
    if weights is not None and given is not None and given.shape == weights.shape:
        rest[0] = weights.to(given.dtype)
    output = new.detach().reshape(call.output.shape)
    return replace(told, output=output), (new, *rest) if isinstance(result, tuple) else new


def _unmasked(call: Call, padding: torch.Tensor | None, begins: int) -> Call:
    """The call with a mask of padding alone; what its mask adds beside forbidding stays."""
    keys, bias, notes = call.key.shape[2], call.bias, call.notes
    extra = None if call.mask is None else added(as_four(call.mask, keys))
    if extra is not None:
        bias = extra if bias is None else bias[..., :keys] + extra
        notes = (*notes, BIAS_LOST)
    mask = None
    if padding is not None:
        hidden = torch.zeros(len(padding), keys, dtype=torch.bool, device=call.key.device)
        part = padding[:, begins : begins + keys]
        hidden[:, : part.shape[1]] = part
        mask = ~hidden[:, None, None, :]
    return replace(call, mask=mask, causal=False, bias=bias, notes=notes)


def _attended(call: Call, first: int, begins: int, keep: bool) -> tuple[torch.Tensor, torch.Tensor | None]:
    """(sequences, heads, queries, d_value) what is mixed, and the weights if they are to be kept."""
    mixed, kept = [], []
    value = _each(call.value, call.query.shape[1])
    for start in range(0, call.query.shape[2], ROWS_AT_ONCE):
        weights = _weights(call, slice(start, start + ROWS_AT_ONCE))
        _set(weights, call, first + start, begins)
        mixed.append(weights @ value.to(weights.dtype))
        kept += [weights] if keep else []
    total = torch.cat(mixed, 2)
    total[:, list(call.off)] = 0.0
    return total, torch.cat(kept, 2) if keep else None


def _weights(call: Call, rows: slice) -> torch.Tensor:
    """softmax(soft cap(scale * query key^T) + bias, masked, with the sink beside) of some rows of every head.

    The kernels named eager work out products in the model's own format and the softmax in float32, then round the
    weights; the fused ones do all of it in float32 and round at the end. So does this, but for a model in float64:
    there nothing is rounded to float32.
    """
    plain = call.query.dtype
    wide = torch.promote_types(plain, torch.float32)
    works = plain if call.kernel.startswith("eager") else wide
    key = _each(call.key, call.query.shape[1]).to(works)
    scores = (call.query[:, :, rows].to(works) @ key.transpose(2, 3)) * call.scale
    if call.soft_cap is not None:
        scores = torch.tanh(scores / call.soft_cap) * call.soft_cap
    if call.bias is not None:
        scores = scores + _some(call.bias, rows, scores)
    scores, blind = _masked(scores, call, rows)
    if call.sink is None:
        weights = torch.softmax(scores, -1, dtype=wide)
    else:
        sink = call.sink.to(scores.dtype).reshape(1, -1, 1, 1).expand(*scores.shape[:3], 1)
        weights = torch.softmax(torch.cat([scores, sink], -1), -1, dtype=wide)[..., :-1]
    return (weights if blind is None else weights.masked_fill(blind, 0.0)).to(works)


def _masked(scores: torch.Tensor, call: Call, rows: slice) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The scores with the mask on them as kernels put it there, and which rows see nothing, where that gives NaN."""
    if call.mask is None:
        if not call.causal:
            return scores, None
        query = torch.arange(call.query.shape[2], device=scores.device)[rows, None]
        hidden = torch.arange(scores.shape[3], device=scores.device) > query
    elif call.mask.dtype != torch.bool:
        return scores + _some(call.mask, rows, scores), None
    else:
        hidden = forbidden(_some(call.mask, rows, scores))
    return scores.masked_fill(hidden, -torch.inf), hidden.all(-1, keepdim=True)


def _some(tensor: torch.Tensor, rows: slice, scores: torch.Tensor) -> torch.Tensor:
    """Some rows of a mask or a bias, in the format of the scores."""
    four = as_four(tensor, scores.shape[3])
    part = four if four.shape[2] == 1 else four[:, :, rows]
    return part if part.dtype == torch.bool else part.to(scores.dtype)


def _each(shared: torch.Tensor, heads: int) -> torch.Tensor:
    """Keys or values for each query head, where several share them."""
    return shared if shared.shape[1] == heads else shared.repeat_interleave(heads // shared.shape[1], 1)


def _set(weights: torch.Tensor, call: Call, first: int, begins: int) -> None:
    """Write the weights that were set by hand over those of the rows that are here."""
    for head, query, key, weight in call.weights_set:
        if 0 <= query - first < weights.shape[2] and 0 <= key - begins < weights.shape[3]:
            weights[:, head, query - first, key - begins] = weight
