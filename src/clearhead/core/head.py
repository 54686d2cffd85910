"""One head, from its queries, keys and values to what it mixed: the heart of attention, written once.

`core.attention` has it between its projections; a head of any other model is this, from the Q, K and V it really had.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from clearhead.core.axes import BATCH, FEATURE, HEAD, KEY, QUERY
from clearhead.core.masks import mask_named
from clearhead.core.ops import (
    Add,
    Contract,
    Copy,
    Masked,
    Operation,
    ScaleBy,
    ScaleByRoot,
    SetCells,
    SoftCap,
    Softmax,
    SoftmaxWithSink,
)  # fmt: skip

Step = Callable[..., Any]
"""step(name, operation, *inputs) -> an array, or whatever stands for one (it has a `shape`)."""


@dataclass(frozen=True)
class Head:
    """How a head computes, apart from the numbers it is given.

    Attributes:
        scale: what scores are multiplied by, 1 for nothing; None: divided by root(d_head).
        soft_cap: the limit that scaled scores are bent to stay within, or None.
        mask: the name of a mask, see `core.masks`.
        fill: what a forbidden score becomes, see `core.ops.mask`.
        weights_set: (query, key, weight) of the weights that were set by hand, after the softmax.
        off: whether the head is switched off: what it mixed counts as 0.
        first: the query that the first row of Q is, where only a part of the queries is given.
    """

    scale: float | None = None
    soft_cap: float | None = None
    mask: str = "none"
    fill: str = "-inf"
    weights_set: tuple[tuple[int, int, float], ...] = ()
    off: bool = False
    first: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be computed with, in one sentence."""
        mask_named(self.mask)
        if self.soft_cap is not None and not 0 < self.soft_cap < math.inf:
            raise ValueError(
                f"soft_cap: expected a number above 0, or None for no cap; got {self.soft_cap!r}"
            )

    def scaling(self, axes: tuple[str, ...], d_head: int) -> Operation:
        """The operation from the scores to the scaled ones."""
        if self.scale is None:
            return ScaleByRoot(axes, d_head, "d_head", divide=True)
        return Copy(axes) if self.scale == 1 else ScaleBy(axes, self.scale, "scale", divide=False)


def attend(
    step: Step,
    Q: Any,
    K: Any,
    V: Any,
    head: Head,
    bias: Any = None,
    sink: Any = None,
    allowed: Any = None,
) -> Any:
    """softmax(cap(scale Q K^T) + bias, masked) V: Vaswani et al. 2017, section 3.2.1, and what was added to it since.

    Args:
        step: see `Step`.
        Q: (queries, d_head); all three with a heads axis in front, or batch and heads, or neither.
        K: (keys, d_head).
        V: (keys, d_value).
        head: how the head computes.
        bias: what is added to the scaled scores, (queries, keys), heads in front or not; or the operation that makes it
            of nothing (`Alibi`).
        sink: one more score for every row of a head, () or (heads,); see `SoftmaxWithSink`.
        allowed: 1 where a query may see a key, 0 elsewhere, (queries, keys), heads in front or not: a mask that no name
            describes, on top of the named one.

    Returns:
        (queries, d_value). A row that may see nothing has weights of 0 and mixes 0.

    Raises:
        ValueError: Q has other axes than these.
    """
    if not 2 <= len(Q.shape) <= 4:
        raise ValueError(
            f"Q: expected (queries, d_head), with heads and a batch in front or not; got {Q.shape}"
        )
    before = (BATCH, HEAD)[4 - len(Q.shape) :]
    asked, offered, each = (*before, QUERY, FEATURE), (*before, KEY, FEATURE), (*before, QUERY, KEY)
    scores = step("scores", Contract(each, asked, offered), Q, K)
    scored = step("scaled", head.scaling(each, Q.shape[-1]), scores)
    if head.soft_cap is not None:
        scored = step("soft_capped", SoftCap(each, head.soft_cap), scored)
    if bias is not None:
        bias = step("bias", bias) if isinstance(bias, Operation) else bias
        scored = step("biased", Add(each, (each, each[-len(bias.shape) :])), scored, bias)
    masking = Masked(each, head.mask, head.fill, first=head.first)
    masked = step("masked", masking, scored, *(() if allowed is None else (allowed,)))
    softmax = Softmax(each) if sink is None else SoftmaxWithSink(each)
    weights = step("weights", softmax, masked, *(() if sink is None else (sink,)))
    if head.weights_set:
        weights = step("changed", SetCells(each, head.weights_set, head.first), weights)
    mixed = step("mixed", Contract(asked, each, offered), weights, V)
    return step("switched_off", ScaleBy(asked, 0.0, "switch", divide=False), mixed) if head.off else mixed
