"""The known mistakes, by the operation in which they are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from clearhead.core import ops
from clearhead.lenses.practice.mistakes import attention, sums
from clearhead.lenses.practice.mistakes.base import Mistake
from clearhead.trace.quantity import Quantity

__all__ = ["Mistake", "mistakes_in"]

KNOWN: dict[type[ops.Operation], Callable[[Quantity, Any], Iterator[Mistake]]] = {
    ops.ScaleByRoot: attention.scaling_by_root,
    ops.Copy: attention.copying,
    ops.ScaleBy: attention.scaling_by,
    ops.Masked: attention.masking,
    ops.Softmax: attention.softmax,
    ops.SplitHeads: attention.splitting,
    ops.MergeHeads: attention.merging,
    ops.Rotate: attention.rotating,
    ops.Contract: sums.products,
    ops.Add: sums.sums,
    ops.Sinusoid: sums.sinusoids,
    ops.Average: sums.averages,
    ops.Normalise: sums.norms,
    ops.Activation: sums.activations,
    ops.CrossEntropy: sums.losses,
    ops.MeanLoss: sums.mean_losses,
}


def mistakes_in(quantity: Quantity) -> Iterator[Mistake]:
    """The mistakes that are known of the step that makes the quantity."""
    known = KNOWN.get(type(quantity.operation))  # type: ignore[arg-type]  # a given one has no operation, and no mistakes
    if known is not None:
        yield from known(quantity, quantity.operation)
