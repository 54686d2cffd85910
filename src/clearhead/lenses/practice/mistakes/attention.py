"""Mistakes in the heart of attention: scaling, masking, softmax, heads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clearhead.core.names import taken_apart
from clearhead.core.ops import Copy, Masked, MergeHeads, Rotate, ScaleBy, ScaleByRoot, Softmax, SplitHeads
from clearhead.lenses.practice.mistakes.base import Mistake
from clearhead.trace.quantity import Quantity

SWITCHED_OFF = {"scaled": ("√d_head", True), "embeddings_scaled": ("√d_model", False)}
"""Steps that scale where that is switched on: by what, and whether they divide."""


def scaling_by_root(quantity: Quantity, operation: ScaleByRoot) -> Iterator[Mistake]:
    """Division by √d_head, multiplication by √d_model."""
    of, width, root = quantity.inputs[0].name, operation.width, operation.width**0.5
    done, other = ("divided", "multiplied") if operation.divide else ("multiplied", "divided")
    power, symbol = (-1 if operation.divide else 1), operation.symbol
    yield Mistake("unscaled", f"{of} is not {done} by √{symbol}", lambda x: x)
    yield Mistake(
        "without-root", f"{of} is {done} by {symbol} itself, not by its root", lambda x: x * width**power
    )
    yield Mistake("scaled-back", f"{of} is {other} by √{symbol}, not {done}", lambda x: x * root**-power)


def copying(quantity: Quantity, operation: Copy) -> Iterator[Mistake]:
    """A step that is switched off and done all the same."""
    bare = taken_apart(quantity.name)[1]
    if bare not in SWITCHED_OFF:
        return
    symbol, divides = SWITCHED_OFF[bare]
    source = quantity.inputs[0]
    width = (source.inputs[0] if bare == "scaled" else source).shape[-1]
    says = (
        f"{source.name} is {'divided' if divides else 'multiplied'} by {symbol}, which is switched off here"
    )
    yield Mistake("scaled-all-the-same", says, lambda x: x * width ** (-0.5 if divides else 0.5))


def scaling_by(quantity: Quantity, operation: ScaleBy) -> Iterator[Mistake]:
    """The temperature, a model's own scale."""
    of, factor = quantity.inputs[0].name, operation.factor
    if factor not in (0, 1):
        done, other = ("divided", "multiplied") if operation.divide else ("multiplied", "divided")
        yield Mistake("unscaled", f"{of} is not {done} by the {operation.symbol}", lambda x: x)
        says = f"{of} is {other} by the {operation.symbol}, not {done}"
        yield Mistake("scaled-back", says, lambda x: x * factor if operation.divide else x / factor)


def masking(quantity: Quantity, operation: Masked) -> Iterator[Mistake]:
    """The mask forgotten, turned round, put on too strictly, or filled with the wrong number."""
    queries, keys = np.indices(quantity.shape[-2:])
    if operation.mask == "none":
        says = "later keys are masked, and there is no mask here"
        yield Mistake("masked-all-the-same", says, lambda x, *allowed: np.where(keys > queries, -np.inf, x))
        return
    filled = 0.0 if operation.fill == "-inf" else -np.inf
    says = (
        "a masked score becomes 0, not −∞"
        if filled == 0
        else "a masked score becomes −∞, not 0 as it does here"
    )
    yield Mistake("unmasked", "the mask is forgotten", lambda x, *allowed: x)
    yield Mistake("other-fill", says, lambda *inputs: np.where(operation.hidden(*inputs), filled, inputs[0]))
    if quantity.shape[-1] == quantity.shape[-2]:
        says = "the mask is turned round, so that earlier keys are hidden instead of later ones"
        turned = operation.hidden(*(given.values for given in quantity.inputs)).swapaxes(-1, -2)
        yield Mistake("mask-turned", says, lambda x, *allowed: np.where(turned, -np.inf, x))
        says = "the mask hides a position from itself too"
        own = np.where(keys >= queries, -np.inf, 0.0)
        yield Mistake("mask-hides-itself", says, lambda x, *allowed: x + own)


def softmax(quantity: Quantity, operation: Softmax) -> Iterator[Mistake]:
    """Steps of the softmax left out, or along the wrong axis."""
    of, forward = quantity.inputs[0].name, operation.forward
    bare = taken_apart(quantity.name)[1]
    yield Mistake("no-softmax", f"{of} is taken for {quantity.name}, without the softmax", lambda x: x)
    yield Mistake("not-divided", "e^… is not divided by the sum of its row", np.exp)
    yield Mistake("no-exp", f"{of} is divided by the sum of its row, without e^…", _shares)
    yield Mistake(
        "all-alike", "every place of the row gets the same share", lambda x: np.full_like(x, 1 / x.shape[-1])
    )
    if len(quantity.shape) > 1:
        says = f"the softmax goes down the columns, not along the rows of {of}"
        yield Mistake("down-columns", says, lambda x: forward(x.swapaxes(-1, -2)).swapaxes(-1, -2))
        says = f"e^… is divided by the sum over all of {of}, not over its row"
        yield Mistake(
            "over-everything", says, lambda x: np.exp(x) / np.exp(x).sum(axis=(-1, -2), keepdims=True)
        )
    made = quantity.inputs[0].operation
    if bare == "weights" and isinstance(made, Masked) and made.mask != "none":
        before = [given.values for given in quantity.inputs[0].inputs]
        kept = np.where(made.hidden(*before), 0.0, forward(before[0]))
        yield Mistake(
            "masked-after", "the mask is put on after the softmax, so that the row no longer adds up to 1",
            lambda x: kept,
        )  # fmt: skip


def _shares(x: np.ndarray) -> np.ndarray:
    """Each number over the sum of its row; what is masked counts as nothing."""
    seen = np.where(np.isneginf(x), 0.0, x)
    return np.asarray(seen / seen.sum(axis=-1, keepdims=True))


def splitting(quantity: Quantity, operation: SplitHeads) -> Iterator[Mistake]:
    """Columns dealt out to the heads in turn."""
    heads = operation.heads
    if heads > 1 and operation.split == 1:
        says = f"head 0 takes every {_th(heads)} column of {quantity.inputs[0].name}, not the first ones"
        yield Mistake(
            "heads-interleaved", says,
            lambda x: np.moveaxis(x.reshape(*x.shape[:-1], x.shape[-1] // heads, heads), -1, -3),
        )  # fmt: skip


def merging(quantity: Quantity, operation: MergeHeads) -> Iterator[Mistake]:
    """Heads joined number by number instead of side by side."""
    heads, width = quantity.inputs[0].shape[-3], quantity.inputs[0].shape[-1]
    if heads > 1 and width > 1:
        says = "the heads are joined number by number in turn, not one after the other"
        yield Mistake("heads-interleaved", says, lambda x: np.moveaxis(x, -3, -1).reshape(quantity.shape))


def _th(number: int) -> str:
    return {2: "second", 3: "third"}.get(number, f"{number}th")


def rotating(quantity: Quantity, operation: Rotate) -> Iterator[Mistake]:
    """Rotary positions forgotten, or turned the other way."""
    of = quantity.inputs[0].name
    yield Mistake("not-turned", f"{of} is not turned by its position", lambda x: x)
    other = Rotate(operation.axes, back=not operation.back)
    yield Mistake("turned-back", f"{of} is turned the other way round", other.forward)
