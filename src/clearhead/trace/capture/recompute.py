"""The numbers of one captured head, recomputed in float64 for the rows that are asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearhead.core.ops import SoftCap, Softmax, SoftmaxWithSink
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.held import precise

EVERYTHING = slice(None)
AXES = ("query", "key")


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows of one head.

    Attributes:
        masked: (rows, keys) the scores that enter the softmax, −∞ where a key may not be seen.
        weights: (rows, keys) that blend the values, those set by hand among them.
    """

    masked: np.ndarray
    weights: np.ndarray

    @property
    def blind(self) -> np.ndarray:
        """Boolean (rows,): the queries that may see nothing."""
        return np.asarray(np.isneginf(self.masked).all(axis=1))


def rows_of(attention: Attention, batch: int, head: int, rows: slice = EVERYTHING) -> Rows:
    """Some rows of one head, from the query and key that entered the dot product."""
    query = precise(attention.query, batch, head, rows)
    key = precise(attention.key, batch, attention.key_head(head))
    scores = query @ key.T * attention.scale
    if attention.soft_cap is not None:
        scores = SoftCap(AXES, attention.soft_cap).forward(scores)
    if attention.bias is not None:
        scores = scores + attention.bias.table(batch, head, rows)
    masked = np.where(attention.visible.table(batch, head, rows), scores, -np.inf)
    if attention.sink is None:
        weights = Softmax(AXES).forward(masked)
    else:
        weights = SoftmaxWithSink(AXES).forward(masked, np.asarray(attention.sink[head], np.float64))
    chosen = range(attention.queries)[rows]
    for asks, asked, weight in attention.set_in(head):
        if asks in chosen:
            weights[chosen.index(asks), asked] = weight
    return Rows(masked, weights)


def weights_of(attention: Attention, batch: int, head: int, rows: slice = EVERYTHING) -> np.ndarray:
    """(rows, keys) the weights of one head."""
    return rows_of(attention, batch, head, rows).weights


def mixed_of(attention: Attention, batch: int, head: int, weights: np.ndarray) -> np.ndarray:
    """(rows, d_value) the values blended by these weights; 0 if the head is switched off."""
    if head in attention.off:
        return np.zeros((len(weights), attention.value.shape[3]))
    return weights @ precise(attention.value, batch, attention.value_head(head))
