"""What a capture gives of its heads' weights: whole layers of short texts, and parts and overviews at any length."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from numbers import Integral

import numpy as np

from clearhead.core.stream import BINS
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.links import Link, links_of
from clearhead.trace.capture.looking import row_of, strongest, tile_of
from clearhead.trace.capture.overview import LayerOverview, Overview
from clearhead.trace.capture.positions import Positions
from clearhead.trace.capture.recompute import weights_of
from clearhead.trace.capture.token import Token

MOST_WEIGHTS = 2**28
"""Weights of one layer that are handed over at once (2 GiB in float64); beyond, ask for rows and windows."""


MOST_LINKS = 10_000
"""Links of a head that are found at once."""


class Parts:
    """The weights of a capture's heads, in parts. `Capture` is one."""

    overviews: Mapping[str, LayerOverview]

    @abstractmethod
    def attentions(self) -> Iterator[Layer]:
        """The layers that were captured."""

    @abstractmethod
    def layer(self, number: int, tower: str | None = None) -> Layer:
        """One attention layer."""

    @abstractmethod
    def place(self, layer: int, head: int, batch: int = 0, tower: str | None = None) -> Layer:
        """One attention layer that has such a head, in a capture that has such a sequence."""

    @abstractmethod
    def tokens_of(self, layer: Layer, batch: int = 0) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
        """The tokens of a layer's queries, and those of its keys."""

    def weights(self, layer: int, *, batch: int = 0, tower: str | None = None) -> np.ndarray:
        """(head, query, key) the weights of a layer, float64.

        Raises:
            LookupError: there is no such layer or sequence.
            ValueError: they are too many to hand over at once; `row` and `window` give parts of them.
        """
        attention = self._attention(layer, 0, batch, tower)
        size = (attention.heads, attention.queries, attention.keys)
        if np.prod(size, dtype=object) > MOST_WEIGHTS:
            raise ValueError(
                f"the weights of this layer are {' × '.join(map(str, size))} numbers, more than fit at once "
                f"({MOST_WEIGHTS}); expected row() or window() for a part of them"
            )
        return np.stack([weights_of(attention, batch, head) for head in range(attention.heads)])

    def row(
        self, layer: int, head: int, query: int, *, batch: int = 0, tower: str | None = None
    ) -> np.ndarray:
        """(key,) the weights of one query, at any length.

        Raises:
            LookupError: there is no such layer, head, query or sequence.
        """
        attention = self._attention(layer, head, batch, tower)
        return row_of(attention, batch, head, _position(query, attention.queries))

    def window(
        self, layer: int, head: int, queries: slice, keys: slice, *, batch: int = 0, tower: str | None = None
    ) -> np.ndarray:
        """(query, key) the weights of some queries for some keys, exact, at any length.

        Raises:
            LookupError: there is no such layer, head or sequence, or the slices lie outside.
        """
        attention = self._attention(layer, head, batch, tower)
        _inside(attention, queries, keys)
        return weights_of(attention, batch, head, queries)[:, keys]

    def positions(self, layer: Layer) -> tuple[Positions, ...]:
        """What the queries and keys of a layer are, for each sequence: words, padding, whether they are the same."""
        assert layer.attention is not None  # an attention layer
        own = layer.rows == layer.columns and layer.attention.queries == layer.attention.keys
        return tuple(
            Positions.of(*self.tokens_of(layer, batch), own) for batch in range(layer.attention.sequences)
        )

    def overview(
        self, bins: int | None = None, *, progress: Callable[[int, int], None] | None = None
    ) -> Overview:
        """What every head does, of a text of any length, in one streaming pass over its queries and keys.

        Kept is what is of the order of the length: of every row its log-sum-exp and what `head_statistics` says of it,
        and of every head its map, pooled to bins × bins by mean and by maximum, and how far it looks.

        Args:
            bins: bins along each side of the pooled maps, at most; None: as many as those have that came with the
                capture, or else 256.
            progress: called with the layers that are done and how many there are.

        Raises:
            ValueError: bins is no whole number above 0.
        """
        bins = self._bins if bins is None else _whole("bins", bins, 1)
        found = self._overviews.setdefault(bins, Overview(self, bins, self._kept(bins)))
        layers = list(self.attentions())
        for done, layer in enumerate(layers, 1):
            found.of(layer)
            if progress is not None:
                progress(done, len(layers))
        return found

    def tile(
        self,
        layer: int,
        head: int,
        queries: slice,
        keys: slice,
        *,
        step: int = 1,
        pool: str = "mean",
        batch: int = 0,
        tower: str | None = None,
    ) -> np.ndarray:
        """A part of a head's map, pooled: (queries / step, keys / step) float32, at any length and zoom.

        The log-sum-exp of each row is taken from the overview, so that nothing outside of the part is looked at; the
        numbers are exact to about 1e-6 of their size (`row` and `window` work theirs out anew, in float64).

        Args:
            layer: its number.
            head: the query head.
            queries: the rows.
            keys: the columns.
            step: so many rows and columns become one number.
            pool: how: "mean", in which what the mask hides counts as 0, or "largest". −1 where it hides all of them.
            batch: the sequence.
            tower: the part of the model.

        Raises:
            LookupError: there is no such layer, head or sequence, or the slices lie outside.
            ValueError: the step or the way of pooling cannot be.
        """
        found = self.place(layer, head, batch, tower)
        attention = self._attention(layer, head, batch, tower)
        _inside(attention, queries, keys)
        lse = self.overview_of(found).lse
        return tile_of(attention, batch, head, queries, keys, lse, _whole("step", step, 1), pool)

    def top(
        self, layer: int, head: int, query: int, count: int = 10, *, batch: int = 0, tower: str | None = None
    ) -> list[tuple[int, float]]:
        """The keys that have most of a query's weight, the largest first, as (key, weight).

        Raises:
            LookupError: there is no such layer, head, query or sequence.
            ValueError: the count is none, or the weights are not numbers.
        """
        row = self.row(layer, head, query, batch=batch, tower=tower)
        if not np.isfinite(row).all():
            raise ValueError(
                f"query {query} of layer {layer}, head {head}: its weights are not finite numbers; nothing is largest"
            )
        return strongest(row, _whole("count", count, 1))

    def links(
        self,
        layer: int,
        head: int,
        count: int = 20,
        *,
        apart: int = 0,
        first: bool = True,
        batch: int = 0,
        tower: str | None = None,
    ) -> list[Link]:
        """The largest weights of a whole head, exact, as (query, key, weight), the largest first.

        Args:
            layer: its number.
            head: the query head.
            count: how many, up to 10,000.
            apart: only those whose query and key are at least so many positions from each other.
            first: False leaves out the weights on the first token, where many heads put what they need nowhere.
            batch: the sequence.
            tower: the part of the model.

        Raises:
            LookupError: there is no such layer, head or sequence.
            ValueError: the count or the distance cannot be, or no weight of the head is a number.
        """
        count, apart = _whole("count", count, 1), _whole("apart", apart, 0)
        if count > MOST_LINKS:
            raise ValueError(f"count: expected at most {MOST_LINKS}, got {count}")
        found = self.place(layer, head, batch, tower)
        attention = self._attention(layer, head, batch, tower)
        if np.isnan(np.asarray(self.overview_of(found).lse[batch, head])).all():
            raise ValueError(
                f"layer {layer}, head {head}: its weights are not finite numbers; nothing is largest"
            )
        without = None if first else self.positions(found)[batch].first
        return links_of(attention, batch, head, self.overview_of(found), count, apart, without)

    def overview_of(self, layer: Layer) -> LayerOverview:
        """The overview of one layer, with as many bins as one that is there, or else the usual number."""
        if not self._overviews and layer.label in self.overviews:
            return self.overviews[layer.label]
        there = next(iter(self._overviews.values()), None)
        if there is None:
            there = self._overviews.setdefault(self._bins, Overview(self, self._bins))
        return there.of(layer)

    @property
    def _bins(self) -> int:
        """Along each side of those overviews that came with the capture, or the usual number."""
        sides = [max(one.mean.shape[2:]) for one in self.overviews.values()]
        return max(sides, default=BINS)

    @cached_property
    def _overviews(self) -> dict[int, Overview]:
        return {}

    def _kept(self, bins: int) -> dict[str, LayerOverview]:
        """Those overviews that came with the capture and have so many bins."""
        fit = {}
        for layer in self.attentions():
            one = self.overviews.get(layer.label)
            if one is not None and layer.attention is not None:
                size = (min(bins, layer.attention.queries), min(bins, layer.attention.keys))
                if tuple(one.mean.shape[2:]) == size:
                    fit[layer.label] = one
        return fit

    def _attention(self, layer: int, head: int, batch: int, tower: str | None) -> Attention:
        attention = self.place(layer, head, batch, tower).attention
        assert attention is not None
        return attention


def _whole(name: str, value: int, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name}: expected a whole number from {least}, got {value!r}")
    return int(value)


def _position(query: int, size: int) -> int:
    if isinstance(query, bool) or not isinstance(query, Integral) or not 0 <= query < size:
        raise LookupError(f"query: {query!r} is no place; expected one from 0 to {size - 1}")
    return int(query)


def _inside(attention: Attention, queries: slice, keys: slice) -> None:
    """Refuse slices in which nothing lies."""
    for axis, part, size in (("query", queries, attention.queries), ("key", keys, attention.keys)):
        if not isinstance(part, slice):
            raise LookupError(f"{axis}: expected a slice such as slice(0, {min(size, 8)}), got {part!r}")
        if not range(size)[part]:
            raise LookupError(
                f"{axis}: nothing lies at {part.start}:{part.stop}; expected places from 0 to {size - 1}"
            )
