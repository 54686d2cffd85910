"""The product of weights and values: which weights, values and outputs belong to which query, head and sequence."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from clearhead.sources.models.watcher_graph import (
    DROPOUT,
    SOFTMAX,
    Node,
    NotUnderstoodError,
    ancestors,
    moved,
)
from clearhead.sources.models.watcher_layout import Layout, fewest_heads
from clearhead.sources.models.watcher_product import Product


@dataclass(frozen=True, eq=False)
class Mixed:
    """The product of weights and values.

    Attributes:
        softmax: the step that made the weights.
        weights: the step that the product read.
        form: the product.
        left: whether the weights are its left operand.
        output: what came out.
    """

    softmax: Node
    weights: Node
    form: Product
    left: bool
    output: torch.Tensor


def parts_of(mixed: Mixed, layout: Layout) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, float]:
    """The parts in the order of the layout, and the share that was dropped.

    Returns:
        (sequences, heads, queries, keys) weights, (sequences, value heads, keys, d_value) values, (sequences, queries,
        heads, d_value) what came out, and the share.

    Raises:
        NotUnderstoodError: the product does not sum weights times values over the keys.
    """
    form = mixed.form
    operand, axes = form.side(mixed.left)
    keys = layout.shape[-1]
    total = math.prod(layout.shape)
    cells = moved(mixed.weights, mixed.softmax, layout.places())
    if len(form.summed) != 1 or cells.numel() != total:
        raise NotUnderstoodError("its weights are not summed over the keys, each with one value")
    kept = [axis for axis in form.axes if axis in axes]
    order = [axes.index(axis) for axis in (*kept, *form.summed)]
    cells = cells.reshape(operand.shape).permute(order).reshape(-1, keys)
    row = cells[:, 0] // keys
    if not bool((cells == row[:, None] * keys + torch.arange(keys, device=cells.device)).all()):
        raise NotUnderstoodError("its weights are not summed over the keys, each with one value")
    back = row.argsort()
    weights = _ordered(operand.permute(order).reshape(-1, keys), back).reshape(layout.shape)
    values = _values(form, mixed.left, kept, back, layout)
    output = _output(form, mixed, kept, back, layout)
    dropped = [
        one for one in ancestors(mixed.weights, (SOFTMAX,)) if one.kind == DROPOUT and one.facts["share"]
    ]
    return weights, values, output, float(dropped[0].facts["share"]) if dropped else 0.0


def _ordered(rows: torch.Tensor, order: torch.Tensor) -> torch.Tensor:
    return rows if bool((order[1:] > order[:-1]).all()) else rows[order]


def _values(form: Product, left: bool, kept: list[str], back: torch.Tensor, layout: Layout) -> torch.Tensor:
    operand, axes = form.side(not left)
    weights, weight_axes = form.side(left)
    batch = [axis for axis in kept if axis in axes]
    width = [axis for axis in form.axes if axis in axes and axis not in kept]
    order = [axes.index(axis) for axis in (*batch, *form.summed, *width)]
    table = operand.permute(order)
    sizes = table.shape[: len(batch)]
    table = table.reshape(math.prod(sizes), layout.shape[-1], -1)
    places = torch.arange(len(table), device=table.device)
    spread = places.reshape([operand.shape[axes.index(axis)] if axis in batch else 1 for axis in kept])
    spread = spread.expand([weights.shape[weight_axes.index(axis)] for axis in kept])
    rows = spread.reshape(-1)[back].reshape(layout.shape[:3])
    if not bool((rows == rows[..., :1]).all()):
        raise NotUnderstoodError("each query has values of its own")
    found_heads = fewest_heads(rows[:, :, :1])
    flat = found_heads.reshape(-1)
    if len(flat) == len(table) and bool((flat == places).all()):
        return table.reshape(*found_heads.shape[:2], *table.shape[1:])
    return table[flat].reshape(*found_heads.shape[:2], *table.shape[1:])


def _output(form: Product, mixed: Mixed, kept: list[str], back: torch.Tensor, layout: Layout) -> torch.Tensor:
    axes = list(form.axes)
    missing = [
        axis
        for axis in axes
        if mixed.output.shape[axes.index(axis)] == 1 and axis not in form.left_axes + form.right_axes
    ]
    width = [axis for axis in axes if axis not in kept and axis not in missing]
    output = mixed.output.permute([axes.index(axis) for axis in (*missing, *kept, *width)])
    rows = output.reshape(len(back), -1)
    return _ordered(rows, back).reshape(*layout.shape[:3], -1).transpose(1, 2)
