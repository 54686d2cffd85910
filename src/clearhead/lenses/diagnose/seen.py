"""One answer of a function as it is measured against the reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearhead.lenses.diagnose.asking import IMPOSSIBLE, Asking
from clearhead.lenses.diagnose.mistakes.base import instead
from clearhead.lenses.diagnose.pipeline import changed

CLEAR = 1e-4
"""What is off by less than this share of the largest number counts as equal here."""


@dataclass(frozen=True, eq=False)
class Seen:
    """One answer.

    Attributes:
        asking: the question with the function's output.
        weights: (batch, heads, queries, keys) the function's own, returned or found out; None where there are none.
    """

    asking: Asking
    weights: np.ndarray | None

    @property
    def right(self) -> np.ndarray:
        """The weights of the reference."""
        return self.asking.reference.values["weights"]

    @property
    def scores(self) -> np.ndarray:
        """The scores of the reference as they enter the mask, or the softmax where there is none."""
        run = self.asking.reference
        values = run.values
        return values.get("biased", values.get("soft_capped", values["scaled"]))

    @property
    def visible(self) -> np.ndarray:
        """True where a query may see a key, the shape of the weights."""
        return np.broadcast_to(self.asking.case.visible(), self.right.shape)

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
        return bool(np.abs(made - self.mine).max(initial=0.0) <= 10 * CLEAR)


Known = Sequence[Seen]
"""Answers whose weights are known."""


def most(values: np.ndarray) -> float:
    """The largest size that is a number."""
    sizes = np.abs(values)
    return float(np.max(sizes, initial=0.0, where=~np.isnan(sizes)))
