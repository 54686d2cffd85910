"""One attention layer of a captured model: what entered its dot product, and what its kernel returned."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from clearhead.trace.capture.held import Held, precise
from clearhead.trace.capture.visible import Visible


@dataclass(frozen=True, eq=False)
class Bias:
    """Numbers that a model adds to the scaled scores, by position: T5's relative positions, ALiBi.

    Attributes:
        values: (sequences or 1, heads or 1, queries or 1, keys), or if `by_distance` (sequences or 1, heads or 1,
            queries + keys - 1): the number for query i and key j stands at j - i + queries - 1.
        by_distance: whether they depend on the distance alone, so that one row is enough.
        queries: how many queries there are.
    """

    values: Held
    by_distance: bool
    queries: int

    def table(
        self, batch: int, head: int, rows: slice = slice(None), keys: slice = slice(None)
    ) -> np.ndarray:
        """(rows, keys) float64, or (1, keys) where all queries have the same."""
        sequences, heads = self.values.shape[:2]
        own = (batch if sequences > 1 else 0, head if heads > 1 else 0)
        if not self.by_distance:
            return precise(self.values, *own, rows if self.values.shape[2] > 1 else slice(None), keys)
        count = self.values.shape[2] - self.queries + 1
        place = np.arange(count)[keys][None, :] - np.arange(self.queries)[rows][:, None] + self.queries - 1
        least = int(place.min(initial=self.values.shape[2]))  # only those between are read
        return precise(self.values, *own, slice(least, int(place.max(initial=0)) + 1))[place - least]


@dataclass(frozen=True, eq=False)
class Attention:
    """weights = softmax(soft cap(scale * query key^T) + bias, masked, with the sink's logit beside), times value.

    Every attention function of Hugging Face transformers is this one formula; query and key are as they enter the dot
    product, after rotation and norms. Grouped heads (Ainslie et al. 2023, GQA) keep their own number of key and value
    heads: query head h reads key head h // (heads / key heads).

    Attributes:
        query: (sequences, heads, queries, d_head).
        key: (sequences, key heads, keys, d_head).
        value: (sequences, value heads, keys, d_value).
        output: (sequences, queries, heads, d_value), what the kernel returned.
        scale: what the products are multiplied by.
        visible: the mask.
        kernel: what computed it: "sdpa", "eager", "flex_attention" ..., or "the module's own" where it was watched.
        soft_cap: the bound of the scores, or None (Gemma Team 2024, Gemma 2, section 2).
        bias: numbers added to the scaled scores, or None.
        sink: (heads,) logits that take a share of every row and give nothing, or None.
        dropout: the share of weights that were dropped at random; then nothing can be recomputed.
        softmax_dtype: the format in which the kernel rounds its scores and weights, where that is not the query's.
        notes: what a reader has to know about this layer, as sentences.
        off: the heads that were switched off: what they mixed counted as 0.
        weights_set: (head, query, key, weight) of the weights that were set by hand, in every sequence alike.
    """

    query: Held
    key: Held
    value: Held
    output: Held
    scale: float
    visible: Visible
    kernel: str
    soft_cap: float | None = None
    bias: Bias | None = None
    sink: Held | None = None
    dropout: float = 0.0
    softmax_dtype: str = ""
    notes: tuple[str, ...] = field(default=())
    off: tuple[int, ...] = ()
    weights_set: tuple[tuple[int, int, int, float], ...] = ()

    @property
    def sequences(self) -> int:
        """How many sequences the batch has."""
        return self.query.shape[0]

    @property
    def heads(self) -> int:
        """How many query heads there are."""
        return self.query.shape[1]

    @property
    def queries(self) -> int:
        """How many positions ask."""
        return self.query.shape[2]

    @property
    def keys(self) -> int:
        """How many positions are asked."""
        return self.key.shape[2]

    @property
    def d_head(self) -> int:
        """The length of a query."""
        return self.query.shape[3]

    def key_head(self, head: int) -> int:
        """The key head that a query head reads."""
        return head * self.key.shape[1] // self.heads

    def set_in(self, head: int) -> tuple[tuple[int, int, float], ...]:
        """(query, key, weight) of the weights of one head that were set by hand."""
        return tuple((query, key, weight) for at, query, key, weight in self.weights_set if at == head)

    def value_head(self, head: int) -> int:
        """The value head that a query head blends."""
        return head * self.value.shape[1] // self.heads
