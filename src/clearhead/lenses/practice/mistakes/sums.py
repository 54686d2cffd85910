"""Mistakes in products and sums: projections, embeddings, norms, feed-forward, the loss."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clearhead.core.axes import KEY, QUERY
from clearhead.core.ops import (
    Activation,
    Add,
    Average,
    Contract,
    CrossEntropy,
    MeanLoss,
    Normalise,
    Sinusoid,
)
from clearhead.lenses.practice.mistakes.base import Mistake
from clearhead.trace.quantity import Quantity


def products(quantity: Quantity, operation: Contract) -> Iterator[Mistake]:
    """A matrix left out, or taken the wrong way round."""
    left, right = (given.name for given in quantity.inputs)
    forward = operation.forward
    yield Mistake("product-left-out", f"{left} is taken as it is, without {right}", lambda a, b: a)
    if operation.axes[-2:] == (QUERY, KEY):
        says = f"queries and keys change places: {right} times {left}"
        yield Mistake("swapped", says, lambda a, b: forward(b, a))
        says = f"{right} is taken as it is, not transposed"
        yield Mistake("not-transposed", says, lambda a, b: a @ b)
    elif len(operation.right) > 1:
        says = f"{right} is taken transposed"
        yield Mistake("transposed", says, lambda a, b: forward(a, b.swapaxes(-1, -2)))
    if operation.left[-2:] == (QUERY, KEY):
        says = f"{left} is read down its columns, not along its rows"
        yield Mistake("columns-for-rows", says, lambda a, b: forward(a.swapaxes(-1, -2), b))
        says = f"the rows of {right} are averaged, whatever their weights"
        yield Mistake("plain-mean", says, lambda a, b: forward(np.full_like(a, 1 / a.shape[-1]), b))
        says = f"the rows of {right} are added up without their weights"
        yield Mistake("plain-sum", says, lambda a, b: forward(np.ones_like(a), b))


def sums(quantity: Quantity, operation: Add) -> Iterator[Mistake]:
    """One of two parts left out, or counted twice."""
    if len(quantity.inputs) != 2:
        return
    first, second = (given.name for given in quantity.inputs)
    forward = operation.forward
    yield Mistake("not-added", f"{second} is not added", lambda a, b: a)
    yield Mistake("only-added", f"{first} is forgotten", lambda a, b: forward(np.zeros_like(a), b))
    yield Mistake("added-twice", f"{second} is added twice", lambda a, b: forward(a, 2 * b))
    yield Mistake("subtracted", f"{second} is subtracted, not added", lambda a, b: forward(a, -b))


def sinusoids(quantity: Quantity, operation: Sinusoid) -> Iterator[Mistake]:
    """Positions counted from 1, sines and cosines exchanged."""
    count, width = operation.positions, operation.width
    longer = Sinusoid(operation.axes, count + 1, width)
    yield Mistake("from-1", "positions are counted from 1, not from 0", lambda: longer.forward()[1:])
    if width % 2 == 0:
        partners = [column ^ 1 for column in range(width)]
        says = "sine and cosine change places"
        yield Mistake("sine-for-cosine", says, lambda: operation.forward()[:, partners])


def averages(quantity: Quantity, operation: Average) -> Iterator[Mistake]:
    """The sum for the mean."""
    says = f"the numbers of {quantity.inputs[0].name} are added up and not divided by how many they are"
    yield Mistake("sum-for-mean", says, lambda x: x.sum(axis=-1))


def norms(quantity: Quantity, operation: Normalise) -> Iterator[Mistake]:
    """Steps of a norm left out."""
    spread, of = operation.spread, quantity.inputs[0].name
    width = quantity.shape[-1]
    yield Mistake("no-norm", f"{of} is not normalised", lambda x, *mean: x)
    if operation.centred:
        yield Mistake("not-centred", f"the mean of {of} is not subtracted", lambda x, mean: x / spread.of(x))
    yield Mistake("not-divided", f"{of} is not divided by its spread", spread.distances)
    yield Mistake(
        "without-root", f"{of} is divided by the variance, not by its root",
        lambda *inputs: spread.distances(*inputs) / spread.of(spread.distances(*inputs)) ** 2,
    )  # fmt: skip
    if width > 1:
        unbiased = (width / (width - 1)) ** 0.5
        yield Mistake(
            "n-minus-1", "the sum of squares is divided by n − 1, not by n",
            lambda *inputs: spread.distances(*inputs) / (unbiased * spread.of(spread.distances(*inputs))),
        )  # fmt: skip


def activations(quantity: Quantity, operation: Activation) -> Iterator[Mistake]:
    """The curve forgotten, or turned round."""
    of = quantity.inputs[0].name
    yield Mistake("no-activation", f"{of} is taken as it is, without the activation", lambda x: x)
    says = f"the activation keeps what is below 0 of {of} and not what is above"
    yield Mistake("activation-turned", says, lambda x: -operation.forward(-x))


def losses(quantity: Quantity, operation: CrossEntropy) -> Iterator[Mistake]:
    """−ln p without its parts."""
    forward = operation.forward
    yield Mistake("no-minus", "the minus before ln is forgotten", lambda *inputs: -forward(*inputs))
    yield Mistake("log-10", "log to base 10 is taken, not ln", lambda *inputs: forward(*inputs) / np.log(10))
    yield Mistake("log-2", "log to base 2 is taken, not ln", lambda *inputs: forward(*inputs) / np.log(2))
    says = "the probability itself is taken, without ln"
    yield Mistake("no-log", says, lambda *inputs: np.exp(-forward(*inputs)))


def mean_losses(quantity: Quantity, operation: MeanLoss) -> Iterator[Mistake]:
    """The sum for the mean, or the mean over too many."""
    says = "the losses are added up and not divided by how many they are"
    yield Mistake("sum-for-mean", says, lambda x: x[np.array(operation.targets) >= 0].sum())
    says = "the last position, which has no next word, is counted too"
    yield Mistake("counted-too-many", says, lambda x: x.mean())
