"""Two questions beside the main line: what is scaling for, and what did each position really add?"""

from __future__ import annotations

from typing import Any

from clearhead.core.attention import MAP, Step
from clearhead.core.axes import FEATURE, HEAD, JOINED, KEY, MODEL, QUERY
from clearhead.core.ops import (
    Add,
    Contract,
    Identity,
    Length,
    Masked,
    ScaleByRoot,
    Sensitivity,
    Share,
    Softmax,
    SplitHeads,
)  # fmt: skip


def scaling(step: Step, scores: Any, bias: Any, masked: Masked, d_head: int) -> None:
    """The weights with and without the division by root(d_head), and how strongly each still reacts to its score.

    Vaswani et al. 2017, section 3.2.1, footnote 4: large scores push the softmax where its gradient is tiny.

    Args:
        step: see `core.attention.Step`.
        scores: (heads, queries, keys), the plain products of queries and keys.
        bias: (heads, queries, keys), what is added after scaling, or None.
        masked: the masking operation of the layer.
        d_head: the width of a query.
    """
    divided = step("scores_scaled", ScaleByRoot(MAP, d_head, "d_head", divide=True), scores)
    for name, these in (("scaled", divided), ("unscaled", scores)):
        biased = these if bias is None else step(f"biased_{name}", Add(MAP), these, bias)
        weights = step(f"weights_{name}", Softmax(MAP), step(f"masked_{name}", masked, biased))
        step(f"sensitivity_{name}", Sensitivity(MAP), weights)


def contribution(step: Step, weights: Any, V: Any, W_O: Any, output: Any) -> None:
    """What each key position added to each output row: its weighted value, through W_O, summed over heads.

    Kobayashi et al. 2020, "Attention is Not Only a Weight", section 3: the norm of weight times transformed value.

    Shapes: weights (heads, queries, keys); V (heads, keys, d_value); W_O (heads * d_value, d_out) or None; output
    (queries, d_out).
    """
    heads = weights.shape[0]
    if W_O is None:
        W_O = step("identity", Identity((JOINED, MODEL), heads * V.shape[2]))
    W_O_heads = step("W_O_heads", SplitHeads((HEAD, FEATURE, MODEL), heads, 0, "d_value"), W_O)
    transformed = step(
        "VW_O", Contract((HEAD, KEY, MODEL), (HEAD, KEY, FEATURE), (HEAD, FEATURE, MODEL)), V, W_O_heads
    )
    parts = step("contribution", Contract((QUERY, KEY, MODEL), MAP, (HEAD, KEY, MODEL)), weights, transformed)
    step("contribution_size", Length((QUERY, KEY), MODEL), parts)
    step("contribution_share", Share((QUERY, KEY)), parts, output)
