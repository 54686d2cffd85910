"""From products to what enters a softmax: the scale, the soft cap, what is added, and what is hidden."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from clearhead.sources.models.watcher_graph import (
    NUMBER,
    PRODUCT,
    Node,
    NotUnderstoodError,
    ancestors,
    found,
    worked_out,
)  # fmt: skip
from clearhead.sources.models.watcher_layout import Layout

SAME = 1e-9
"""How far two scales may lie apart, relatively, and be one: everything is worked out in float64."""

HIDING = -5_000.0
"""Numbers added below this take a key's weight to exactly 0 beside any other key, and may be meant as a mask."""


@dataclass(frozen=True, eq=False)
class Made:
    """scores = soft cap(scale * product) + bias, hidden where said; all as (sequences, heads, queries, keys).

    Attributes:
        scale: one number.
        rows: (sequences, heads, queries) further factors of each query, or None if they are all 1.
        soft_cap: the bound, or None.
        bias: what is added, 0 where hidden; the axes along which it is the same have size 1. None if it is 0.
        hidden: boolean, True where the key may not be seen; None if there is no such cell.
        content: whether other products have a part in the bias.
    """

    scale: float
    rows: torch.Tensor | None
    soft_cap: float | None
    bias: torch.Tensor | None
    hidden: torch.Tensor | None
    content: bool


def made_of(scores: Node, product: Node, layout: Layout, weights: torch.Tensor) -> Made:
    """How the scores were made from a product.

    Args:
        scores: what entered the softmax.
        product: queries times keys.
        layout: of the scores.
        weights: (sequences, heads, queries, keys) what came out.

    Raises:
        NotUnderstoodError: in another way than by a scale, a soft cap, and numbers added.
    """
    cap_node = _cap(scores, product)
    begin = scores if cap_node is None else cap_node
    at_zero, at_one = (layout(worked_out(begin, _filled(product, number))) for number in (0.0, 1.0))
    soft_cap = None
    if cap_node is not None:
        inner_zero, inner = at_zero.atanh(), at_one.atanh()
        if bool(inner_zero.any()):
            raise NotUnderstoodError("it adds something before its soft cap")
        outer_zero, outer = (layout(worked_out(scores, _filled(cap_node, number))) for number in (0.0, 1.0))
        hidden = _hidden(outer_zero, weights, scores.dtype)
        soft_cap = float(_factor(outer - outer_zero, hidden).flatten()[0])
        factor, at_zero = _factor(inner, torch.zeros_like(hidden)) * soft_cap, outer_zero
    else:
        hidden = _hidden(at_zero, weights, scores.dtype)
        factor = _factor(at_one - at_zero, hidden)
    scale, rows = _scale(factor)
    bias = _fewest(at_zero, ~hidden)
    others = [one for one in found(scores, PRODUCT) if one is not product]
    return Made(
        scale, rows, soft_cap, bias if bool(bias.any()) else None, _smallest(hidden) if bool(hidden.any()) else None,
        bool(others),
    )  # fmt: skip


def _filled(node: Node, number: float) -> Mapping[Node, torch.Tensor]:
    return {node: torch.tensor(number, dtype=torch.float64).expand(node.shape)}


def _cap(scores: Node, product: Node) -> Node | None:
    """The tanh on the way from a product to the scores."""
    steps = [
        one for one in ancestors(scores, (PRODUCT,))
        if one.kind == NUMBER and one.facts["name"] == "tanh" and product in ancestors(one, (PRODUCT,))
    ]  # fmt: skip
    if len(steps) > 1:
        raise NotUnderstoodError("it bounds its scores twice")
    return steps[0] if steps else None


def _hidden(added: torch.Tensor, weights: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Where about the lowest number is added, or one so low that the weight is exactly 0 in a row that sees others."""
    lowest = added <= torch.finfo(dtype).min / 2
    far = (added <= HIDING) & (weights == 0)
    return lowest | (far & ~(far | lowest).all(-1, keepdim=True))


def _factor(factor: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """(sequences, heads, queries) what each query's products were multiplied by; NaN where it sees nothing."""
    seen = factor.masked_fill(hidden, torch.nan)
    low, high = (seen.nan_to_num(fill).amin(-1) if least else seen.nan_to_num(fill).amax(-1)
                 for fill, least in ((torch.inf, True), (-torch.inf, False)))  # fmt: skip
    blind = hidden.all(-1)
    if not bool(((high - low <= SAME * high.abs().clamp(min=1e-30)) | blind).all()):
        raise NotUnderstoodError("its products are multiplied by another number for each key")
    return high.masked_fill(blind, torch.nan)


def _scale(factor: torch.Tensor) -> tuple[float, torch.Tensor | None]:
    """One scale, and what is left to multiply each query with."""
    told = factor[~factor.isnan()]
    if not len(told):
        return 1.0, None
    first = float(told[0])
    if bool(((told - first).abs() <= SAME * abs(first)).all()):
        return first, None
    return 1.0, factor.nan_to_num(1.0)


def _fewest(bias: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
    """With one entry for each axis along which all that count are the same; 0 where none counts."""
    for axis in (0, 1, 2):
        one = bias.masked_fill(~seen, -torch.inf).amax(axis, keepdim=True)
        if bool(((bias == one) | ~seen).all()):
            bias, seen = one, seen.any(axis, keepdim=True)
    return bias.masked_fill(~seen, 0.0)


def _smallest(tensor: torch.Tensor) -> torch.Tensor:
    """With one entry for each axis along which all are the same; that of the keys stays."""
    for axis in (0, 1, 2):
        one = tensor.narrow(axis, 0, 1)
        if bool((tensor == one).all()):
            tensor = one
    return tensor
