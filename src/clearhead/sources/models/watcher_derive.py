"""From a softmax whose weights multiply values to one call of attention, proven by working it out again."""

from __future__ import annotations

import math
from dataclasses import replace

import torch

from clearhead.sources.models.call import Call
from clearhead.sources.models.held import dtype_name
from clearhead.sources.models.watcher_graph import (
    EXP,
    IN_PARTS,
    PRODUCT,
    PUT,
    Node,
    NotUnderstoodError,
    ancestors,
    found,
)  # fmt: skip
from clearhead.sources.models.watcher_layout import Folded, Layout, fewest_heads, layout_of, rows_at
from clearhead.sources.models.watcher_mixed import Mixed, parts_of
from clearhead.sources.models.watcher_product import Product
from clearhead.sources.models.watcher_proof import prove
from clearhead.sources.models.watcher_scores import made_of
from clearhead.sources.models.watcher_where import heads_of

MOST_CELLS = 2**27
"""Scores of one call that are worked out again at once, in float64 (1 GiB); longer texts need a registered kernel."""

KERNEL = "the module's own"

OF_CONTENT = "the bias is made from the content of the query and relative positions, not from positions alone"

OF_SEQUENCE = "the bias is not the same for all sequences, so it is made from more than positions"

OF_PRODUCT = "the bias is a second product of queries and keys, which this model adds to the first"

FACTORED = "the scores of each query or head are multiplied by a factor of its own, which is part of the queries here"


def derive(mixed: Mixed, module: torch.nn.Module, sizes: set[int]) -> Call:
    """The call.

    Raises:
        NotUnderstoodError: it is not proven to be attention; the message says why.
    """
    softmax = mixed.softmax
    scores: Node = softmax.facts["scores"]
    if math.prod(scores.shape) > MOST_CELLS:
        raise NotUnderstoodError(
            f"it has {math.prod(scores.shape)} scores at once, and {MOST_CELLS} is the most"
        )
    if any(one.kind == EXP for one in ancestors(scores, (PRODUCT,))):
        raise NotUnderstoodError("it computes an exponential before its softmax")
    heads = heads_of(module)
    reason: NotUnderstoodError | None = None
    proven = []
    for product in found(scores, PRODUCT):
        try:
            layout = layout_of(scores, product, softmax.facts["axis"], heads, _folded(heads, sizes, scores))
            proven.append(_call(mixed, product, layout, module))
        except NotUnderstoodError as error:
            reason = reason if reason is not None and not proven else error
    if not proven:
        if any(one.kind == PUT for one in ancestors(scores, (PRODUCT,))):
            raise NotUnderstoodError(IN_PARTS)
        raise reason or NotUnderstoodError("no product of queries and keys was found")
    # of several products, each of which would do, the one that is as wide as the values
    best = min(proven, key=lambda call: call.query.shape[-1] != call.value.shape[-1])
    if len(proven) > 1:
        best = replace(best, notes=(*(note for note in best.notes if note != OF_CONTENT), OF_PRODUCT))
    return best


def _folded(heads: set[int], sizes: set[int], scores: Node) -> Folded:
    """How many heads an axis has that may hold sequences too."""
    seen = {
        node.shape[1]
        for node in ancestors(scores, (PRODUCT,))
        if len(node.shape) == 4 and node.shape[-1] == scores.shape[-1]
    }

    def count(size: int) -> int:
        told = [
            one
            for one in sorted(heads)
            if size % one == 0 and (size // one in sizes or not sizes or size == one)
        ]
        shown = [one for one in sorted(seen) if size % one == 0]
        both = [one for one in told if one in shown]
        return (both or told or shown or [1])[0]

    return count


def _call(mixed: Mixed, product: Node, layout: Layout, module: torch.nn.Module) -> Call:
    weights, values, output, dropout = parts_of(mixed, layout)
    made = made_of(mixed.softmax.facts["scores"], product, layout, weights)
    form: Product = product.facts["form"]
    query = rows_at(form.rows(layout.query_left), layout.query)
    key = rows_at(form.rows(not layout.query_left), fewest_heads(layout.key))
    scale = made.scale
    notes = []
    if made.rows is not None:
        query = (query.double() * made.rows[..., None]).to(query.dtype)
        notes.append(FACTORED)
    else:
        factors = product.facts["factors"] if layout.query_left else product.facts["factors"][::-1]
        whole = _usual(scale * factors[0] * factors[1], query.shape[-1])
        if whole == query.shape[-1] ** -0.5:  # else they may be any numbers: the operands stay as they were
            scale = whole
            query, key = (_divided(one, factor) for one, factor in zip((query, key), factors, strict=True))
    if made.content and made.bias is not None:
        notes.append(OF_CONTENT)
    elif made.bias is not None and len(made.bias) > 1:
        notes.append(OF_SEQUENCE)
    call = Call(
        module, query.detach(), key.detach(),
        values.detach(), output.detach(), _usual(scale, query.shape[-1]), KERNEL,
        mask=None if made.hidden is None else ~made.hidden, soft_cap=made.soft_cap, bias=made.bias, dropout=dropout,
        softmax_dtype=_softmax_dtype(mixed.softmax, query.dtype), notes=tuple(notes),
    )  # fmt: skip
    prove(call, made, weights)
    return call


def _softmax_dtype(softmax: Node, dtype: torch.dtype) -> str:
    """The format of the softmax where it is not the query's; the coarsest between them, if coarser than the query's."""
    formats = {
        one.dtype for one in ancestors(softmax.facts["scores"], (PRODUCT,)) if one.dtype.is_floating_point
    }
    coarsest = max(formats, key=lambda one: torch.finfo(one).eps)
    found_dtype = coarsest if torch.finfo(coarsest).eps > torch.finfo(dtype).eps else softmax.dtype
    return "" if found_dtype == dtype else dtype_name(found_dtype)


def _divided(rows: torch.Tensor, factor: float) -> torch.Tensor:
    """The rows as they were before the model multiplied them by its scale, to their last digit."""
    return rows if factor == 1.0 else (rows.double() / factor).to(rows.dtype)


def _usual(scale: float, width: int) -> float:
    """Where a number is 1/√d_head or 1 but for the last digits, that."""
    usual = (width**-0.5, 1.0)
    return next((one for one in usual if abs(scale - one) <= 1e-12 * one), scale)
