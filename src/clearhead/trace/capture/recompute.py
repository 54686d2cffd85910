"""The numbers of one captured head, recomputed in float64 for the rows that are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import ReferenceType, ref

import numpy as np

from clearhead.core.ops import SoftCap, Softmax, SoftmaxWithSink
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.held import Held, precise

EVERYTHING = slice(None)
AXES = ("query", "key")


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows of one head.

    Attributes:
        masked: (rows, keys) the scores that enter the softmax, −∞ where a key may not be seen.
        weights: (rows, keys) that blend the values, those set by hand among them.
        rows: which rows they are.
        keys: which keys they are: all, or a part that holds every key that these rows see.
    """

    masked: np.ndarray
    weights: np.ndarray
    rows: slice
    keys: slice

    @property
    def blind(self) -> np.ndarray:
        """Boolean (rows,): the queries that may see nothing."""
        return np.asarray(self.masked.max(axis=1) == -np.inf)


def rows_of(
    attention: Attention, batch: int, head: int, rows: slice = EVERYTHING, *, trim: bool = False
) -> Rows:
    """Some rows of one head, from the query and key that entered the dot product.

    Args:
        attention: the layer.
        batch: the sequence.
        head: the query head.
        rows: the queries.
        trim: leave out the keys before the first and after the last that any of these queries sees.
    """
    allowed = attention.visible.table(batch, head, rows)
    keys = _span(allowed) if trim and not attention.set_in(head) else EVERYTHING
    query = precise(attention.query, batch, head, rows)
    key = _latest(attention.key, batch, attention.key_head(head))[keys]
    scores = query @ key.T
    scores *= attention.scale
    if attention.soft_cap is not None:
        scores = SoftCap(AXES, attention.soft_cap).forward(scores)
    if attention.bias is not None:
        scores += attention.bias.table(batch, head, rows, keys)
    np.copyto(scores, -np.inf, where=~allowed[:, keys])
    if attention.sink is None:
        weights = Softmax(AXES).forward(scores)
    else:
        weights = SoftmaxWithSink(AXES).forward(scores, np.asarray(attention.sink[head], np.float64))
    chosen = range(attention.queries)[rows]
    for asks, asked, weight in attention.set_in(head):
        if asks in chosen:
            weights[chosen.index(asks), asked] = weight
    return Rows(scores, weights, rows, keys)


def _span(allowed: np.ndarray) -> slice:
    """From the first key to the last that any row sees; one key where none sees any."""
    seen = np.flatnonzero(allowed.any(axis=0))
    return slice(int(seen[0]), int(seen[-1]) + 1) if len(seen) else slice(0, 1)


def weights_of(attention: Attention, batch: int, head: int, rows: slice = EVERYTHING) -> np.ndarray:
    """(rows, keys) the weights of one head."""
    return rows_of(attention, batch, head, rows).weights


def mixed_of(attention: Attention, batch: int, head: int, found: Rows) -> np.ndarray:
    """(rows, d_value) the values blended by some rows of weights; 0 if the head is switched off."""
    if head in attention.off:
        return np.zeros((len(found.weights), attention.value.shape[3]))
    return found.weights @ _latest(attention.value, batch, attention.value_head(head))[found.keys]


_LATEST: dict[tuple[int, int, int], tuple[ReferenceType[Held], np.ndarray]] = {}
"""The heads that were read last, in float64."""

READ_LAST = 2
"""How many: the keys and the values of one. Whoever asks for one row asks for others of the same head."""


def _latest(held: Held, batch: int, head: int) -> np.ndarray:
    """(positions, d_head) float64 one head of a layer's keys or values."""
    place = (id(held), batch, head)
    known = _LATEST.get(place)
    if known is not None and known[0]() is held:
        return known[1]
    found = precise(held, batch, head)
    for old in list(_LATEST)[: max(0, len(_LATEST) + 1 - READ_LAST)]:
        _LATEST.pop(old, None)
    _LATEST[place] = ref(held), found
    return found
