"""A kernel's mask tensor taken apart: which keys each query sees, as runs, and what is added to the scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch.utils.weak import WeakIdKeyDictionary

from clearhead.sources.models.call import Call
from clearhead.sources.models.held import version_of
from clearhead.trace.capture.attention import Bias
from clearhead.trace.capture.visible import ROWS_AT_ONCE, Named, Pattern, Runs, Visible


class Masks:
    """Takes masks apart, each tensor once: the layers of a model share theirs."""

    def __init__(self) -> None:
        self._known: WeakIdKeyDictionary = WeakIdKeyDictionary()

    def of(self, call: Call) -> tuple[Visible, Bias | None]:
        """The mask of a call, and the bias: its own, and what the mask adds where it does not forbid."""
        queries, keys = call.query.shape[2], call.key.shape[2]
        if call.mask is None:
            visible = Visible(((Named("causal" if call.causal else "none", queries, keys),),))
            return visible, None if call.bias is None else bias_of(call.bias[..., :keys], None)
        if not isinstance(call.mask, torch.Tensor):
            visible = self._of_rule(call.mask, queries, keys)
            return visible, None if call.bias is None else bias_of(call.bias[..., :keys], None)
        visible, extra = self._taken_apart(call.mask, queries, keys)
        if call.bias is None:
            return visible, None if extra is None else bias_of(extra, forbidden(as_four(call.mask, keys)))
        total = call.bias[..., :keys] if extra is None else call.bias[..., :keys] + extra
        return visible, bias_of(total, forbidden(as_four(call.mask, keys)))

    def _of_rule(self, mask: Any, queries: int, keys: int) -> Visible:
        """A mask of `flex_attention`: a rule on (sequence, head, query, key), asked for a few rows at a time."""
        known: dict[Any, Any] = self._known.setdefault(mask, {})  # type: ignore[no-untyped-call]
        place = queries, keys
        if place not in known:
            sequences, heads = mask.shape[:2]
            known[place] = Visible(tuple(
                tuple(Runs.of(_ruled(mask.mask_mod, batch, head, queries, keys, mask.kv_indices.device), keys)
                      for head in range(heads))
                for batch in range(sequences)
            ))  # fmt: skip
        return known[place]

    def _taken_apart(
        self, mask: torch.Tensor, queries: int, keys: int
    ) -> tuple[Visible, torch.Tensor | None]:
        known: dict[Any, Any] = self._known.setdefault(mask, {})  # type: ignore[no-untyped-call]
        place = queries, keys, version_of(mask)  # a mask that was written over is another one
        if place not in known:
            four = as_four(mask, keys)
            known[place] = Visible(patterns(four, queries)), added(four)
        return known[place]


def _ruled(
    rule: Callable[..., torch.Tensor], batch: int, head: int, queries: int, keys: int, device: torch.device
) -> Iterator[np.ndarray]:
    """Blocks of rows of a rule, boolean (rows, keys)."""
    key = torch.arange(keys, device=device)[None, :]
    b, h = (torch.tensor(number, device=device) for number in (batch, head))
    for first in range(0, queries, ROWS_AT_ONCE):
        query = torch.arange(first, min(first + ROWS_AT_ONCE, queries), device=device)[:, None]
        yield rule(b, h, query, key).expand(len(query), keys).cpu().numpy()


def as_four(mask: torch.Tensor, keys: int) -> torch.Tensor:
    """The mask as (sequences or 1, heads or 1, queries or 1, keys); kernels cut off what is beyond the keys."""
    while mask.ndim < 4:
        mask = mask[:, None] if mask.ndim == 3 else mask[None]
    return mask[..., :keys]


def forbidden(mask: torch.Tensor) -> torch.Tensor:
    """Boolean, True where a key may not be seen: False in a boolean mask, about the lowest number in an added one."""
    if mask.dtype == torch.bool:
        return ~mask
    return mask <= torch.finfo(mask.dtype).min / 2


def added(mask: torch.Tensor) -> torch.Tensor | None:
    """What an added mask adds where it does not forbid; None for a boolean one, or if it adds nothing."""
    if mask.dtype == torch.bool:
        return None
    rest = mask.masked_fill(forbidden(mask), 0.0)
    return rest if bool(rest.any()) else None


def patterns(mask: torch.Tensor, queries: int) -> tuple[tuple[Pattern, ...], ...]:
    """The runs of each sequence and head of a mask."""
    return tuple(tuple(runs_of(head, queries) for head in sequence) for sequence in mask)


def runs_of(mask: torch.Tensor, queries: int) -> Runs:
    """The runs of one mask (queries or 1, keys)."""

    def blocks() -> Iterator[np.ndarray]:
        for first in range(0, queries, ROWS_AT_ONCE):
            block = mask if len(mask) == 1 else mask[first : first + ROWS_AT_ONCE]
            rows = min(ROWS_AT_ONCE, queries - first)
            yield (~forbidden(block)).expand(rows, -1).cpu().numpy()

    return Runs.of(blocks(), mask.shape[1])


def bias_of(bias: torch.Tensor, hidden: torch.Tensor | None) -> Bias:
    """The bias, in one row a head if it depends on the distance alone wherever it counts."""
    four = as_four(bias.detach(), bias.shape[-1]).to("cpu", torch.float64)
    queries, keys = four.shape[2:]
    if queries == 1:
        return Bias(four.numpy(), False, queries)
    counts = (
        torch.ones_like(four, dtype=torch.bool)
        if hidden is None
        else ~hidden.cpu().expand(np.broadcast_shapes(four.shape, hidden.shape))
    )
    full = four.expand(counts.shape)
    distance = torch.arange(keys)[None, :] - torch.arange(queries)[:, None] + queries - 1
    rows = torch.zeros(*full.shape[:2], queries + keys - 1, dtype=torch.float64)
    for place in np.ndindex(*full.shape[:2]):
        rows[place][distance[counts[place]]] = full[place][counts[place]]
    if bool(((rows[..., distance] == full) | ~counts).all()):
        return Bias(rows.numpy(), True, queries)
    return Bias(four.numpy(), False, queries)
