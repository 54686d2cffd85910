"""One answer of a function as it is measured against the reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clearhead.lenses.diagnose.asking import IMPOSSIBLE, Asking
from clearhead.lenses.diagnose.mistakes.base import instead
from clearhead.lenses.diagnose.pipeline import Run, changed
from clearhead.lenses.diagnose.rounding import EPSILON, rounded

CLEAR = 1e-4
"""What is off by less than this share of the largest number counts as equal here."""
SHORT = {"bfloat16": 3e-2, "float16": 4e-3}
"""The same where numbers are so short: four of their last places. What is of both is of the shorter."""
COARSE = 0.1
"""A score that rounding alone may move so far tells nothing of what was done to it."""


@dataclass(frozen=True, eq=False)
class Seen:
    """One answer.

    Attributes:
        asking: the question with the function's output.
        weights: (batch, heads, queries, keys) the function's own, returned or found out; None where there are none.
    """

    asking: Asking
    weights: np.ndarray | None

    @cached_property
    def dtype(self) -> str:
        """The type that it is asked in, or a shorter one that its numbers are of."""
        got = self.asking.output
        of = (one for one in SHORT if np.array_equal(rounded(got, one), got, equal_nan=True))
        return self.asking.dtype if self.asking.dtype in SHORT else next(of, self.asking.dtype)

    @property
    def clear(self) -> float:
        """What is off by no more counts as equal in this type."""
        return SHORT.get(self.dtype, CLEAR)

    @property
    def readable(self) -> bool:
        """Whether scores can be read from the weights: in short types large ones are too far from what they are."""
        return most(self.scores) * EPSILON.get(self.dtype, 0.0) <= COARSE

    @property
    def right(self) -> np.ndarray:
        """The weights of the reference."""
        return self.asking.reference.values["weights"]

    @property
    def scores(self) -> np.ndarray:
        """The scores of the reference as they enter the mask, or the softmax where there is none."""
        return scores_of(self.asking.reference)

    @property
    def scale(self) -> float:
        """What scores are multiplied by."""
        scale = self.asking.case.spec.scale
        return float(1 / np.sqrt(self.asking.reference.d_head)) if scale is None else scale

    @property
    def visible(self) -> np.ndarray:
        """True where a query may see a key, the shape of the weights."""
        return np.broadcast_to(self.asking.case.visible(), self.right.shape)

    @property
    def lost(self) -> bool:
        """Whether the output has NaN where the reference has numbers, though the weights are all numbers."""
        known = self.weights is not None and bool(np.isfinite(self.weights).all())
        right = self.asking.reference.values["output"]
        return known and bool((np.isnan(self.asking.output) & ~np.isnan(right)).any())

    @property
    def blends(self) -> bool:
        """Whether the output is made with these weights: if not, what follows them is done otherwise."""
        run, weights, got = self.asking.reference, self.weights, self.asking.output
        if weights is None or not np.isfinite(weights).all():
            return True
        change = {"weights": instead(lambda run, *inputs: weights)}
        try:
            made = changed(run, [*run.changes, change], [change]).values["output"]
        except IMPOSSIBLE:
            return False
        return made.shape == got.shape and most(made - got) <= 0.01 * most(got)

    @property
    def mine(self) -> np.ndarray:
        """The function's own weights, where they are known."""
        assert self.weights is not None
        return self.weights

    @property
    def told(self) -> np.ndarray:
        """True where a score can be read from a weight."""
        return np.asarray(self.visible & (self.mine > 0))

    @property
    def logarithms(self) -> np.ndarray:
        """Of the weights where there are any: scores up to one number for each row."""
        return np.log(np.where(self.told, self.mine, 1.0))

    def has_weights_of(self, scores: np.ndarray) -> bool:
        """Whether the weights are those of these scores."""
        hidden = np.where(self.visible, scores, -np.inf)
        with np.errstate(all="ignore"):
            exponentials = np.exp(hidden - hidden.max(axis=-1, keepdims=True))
            made = np.nan_to_num(exponentials / exponentials.sum(axis=-1, keepdims=True))
        return bool(np.abs(made - self.mine).max(initial=0.0) <= max(10 * CLEAR, self.clear))


def scores_of(run: Run) -> np.ndarray:
    """Scores as they enter the mask, or the softmax where there is none."""
    values = run.values
    return values.get("biased", values.get("soft_capped", values["scaled"]))


Known = Sequence[Seen]
"""Answers whose weights are known."""


def most(values: np.ndarray) -> float:
    """The largest size that is a number."""
    sizes = np.abs(values)
    return float(np.max(sizes, initial=0.0, where=~np.isnan(sizes)))


def centred(values: np.ndarray, told: np.ndarray) -> np.ndarray:
    """Less the mean of what is told in their row; 0 where nothing is told."""
    count = np.maximum(told.sum(axis=-1, keepdims=True), 1)
    mean = np.where(told, values, 0).sum(axis=-1, keepdims=True) / count
    return np.where(told, values - mean, 0.0)
