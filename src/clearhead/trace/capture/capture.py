"""A capture: every attention layer of one run of a real model, with the numbers that entered it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from clearhead.core.stream import BINS
from clearhead.trace.capture.agreement import Agreement, agreement_of
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.below import Below
from clearhead.trace.capture.change import Change
from clearhead.trace.capture.grid import Grid
from clearhead.trace.capture.head import trace_of
from clearhead.trace.capture.links import Link, links_of
from clearhead.trace.capture.looking import row_of, strongest, tile_of
from clearhead.trace.capture.overview import LayerOverview, Overview
from clearhead.trace.capture.positions import Positions
from clearhead.trace.capture.recompute import weights_of
from clearhead.trace.capture.token import Token
from clearhead.trace.trace import Trace

if TYPE_CHECKING:
    from pathlib import Path

Words = tuple[tuple[dict[str, Any], ...], ...]
"""For each sequence the likeliest next tokens, as JSON-able data: "id", "text", "probability"."""

MOST_WEIGHTS = 2**28
"""Weights of one layer that are handed over at once (2 GiB in float64); beyond, ask for rows and windows."""


@dataclass(frozen=True, eq=False)
class Layer:
    """One layer of a captured model.

    Attributes:
        tower: which part of the model it belongs to ("encoder", "cross", "vision_model" ...); "" if there is one alone.
        number: its number there, as the model counts its blocks.
        path: the module's path in the model.
        attention: what was captured, or None.
        what: what it is instead of attention (the names of its modules), or why it could not be captured.
        rows: which sequence of tokens its queries are, a key of `Capture.texts`.
        columns: which its keys are.
        beneath: finds what is proven of the arithmetic around its heads; asked once, see `below`.
    """

    tower: str
    number: int
    path: str
    attention: Attention | None
    what: str = ""
    rows: str = ""
    columns: str = ""
    beneath: Callable[[], Below] = Below

    @cached_property
    def below(self) -> Below:
        """The way from the layer's input to Q, K and V, and from what its heads mixed on, where it is proven."""
        return self.beneath()

    @property
    def label(self) -> str:
        """How the layer is called: "L3", or "encoder.L3" where there are several towers."""
        return f"{self.tower}.L{self.number}" if self.tower else f"L{self.number}"

    @property
    def heads(self) -> int:
        """How many query heads it has; 0 if it is no attention layer."""
        return 0 if self.attention is None else self.attention.heads


@dataclass(frozen=True, eq=False)
class Capture:
    """Every attention layer of one run of a model; `str(capture)` says how far each lies from the model's own numbers.

    Attributes:
        layers: every layer, in the order in which they ran; those that are no attention say what they are.
        texts: the tokens by name ("", "encoder" ...), for each sequence of the batch.
        provenance: model, text, versions, dtype, as JSON-able data.
        prompt: how many tokens were given before the model went on by itself, or None if it did not.
        next_words: the most likely next tokens after each sequence, as JSON-able data, if the model says any.
        changes: what its attention did otherwise in this run than the model does.
        before: the next words without the changes; empty if there are none.
        grids: for those of `texts` that are the patches of a picture, where they are among the positions.
        overviews: those that were made while the model ran or were saved with it, by the label of their layer.
    """

    layers: tuple[Layer, ...]
    texts: Mapping[str, Sequence[tuple[Token, ...]]]
    provenance: Mapping[str, Any]
    prompt: int | None = None
    next_words: Words = ()
    changes: tuple[Change, ...] = ()
    before: Words = ()
    grids: Mapping[str, Grid] = field(default_factory=dict)
    overviews: Mapping[str, LayerOverview] = field(default_factory=dict)

    @property
    def towers(self) -> tuple[str, ...]:
        """The parts of the model, in the order in which they ran."""
        return tuple(dict.fromkeys(layer.tower for layer in self.layers))

    @property
    def tower_names(self) -> str:
        """Which towers there are, for a message."""
        named = [tower for tower in self.towers if tower]
        return f"one of {', '.join(named)}" if named else "no name, since it has one alone"

    @property
    def main(self) -> str:
        """The tower that is meant where none is named: the last that ran and asks its own tokens."""
        own = [layer.tower for layer in self.attentions() if layer.rows == layer.columns]
        return own[-1] if own else self.towers[-1]

    @property
    def heads(self) -> int:
        """Query heads of the main tower's layers; of its first attention layer, if they differ."""
        return next(layer.heads for layer in self.attentions() if layer.tower == self.main)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader has to know about how the model was run, as sentences; those of its layers among them."""
        own = self.provenance.get("notes", ())
        return tuple(
            dict.fromkeys(
                (*own, *(note for one in self.attentions() if (a := one.attention) for note in a.notes))
            )
        )

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the main tower's first sequence."""
        return self.tokens_of(next(layer for layer in self.attentions() if layer.tower == self.main))[0]

    def attentions(self) -> Iterator[Layer]:
        """The layers that were captured."""
        return (layer for layer in self.layers if layer.attention is not None)

    def layer(self, number: int, tower: str | None = None) -> Layer:
        """One attention layer.

        Raises:
            LookupError: there is none; the message names those there are, or what the layer is instead.
        """
        tower = self.main if tower is None else tower
        if tower not in self.towers:
            raise LookupError(f"tower: {tower!r} is none of this model's; expected {self.tower_names}")
        there = {layer.number: layer for layer in self.layers if layer.tower == tower}
        captured = sorted(one.number for one in there.values() if one.attention is not None)
        if number not in there:
            raise LookupError(
                f"layer: {number!r} is none of this model's; expected one of {_listed(captured)}"
            )
        if there[number].attention is None:
            what = there[number].what
            raise LookupError(
                f"layer {number} has no attention to show: {what}; expected one of {_listed(captured)}"
            )
        return there[number]

    def tokens_of(self, layer: Layer, batch: int = 0) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
        """The tokens of a layer's queries, and those of its keys."""
        return self.texts[layer.rows][batch], self.texts[layer.columns][batch]

    def head(
        self, layer: int, head: int, *, query: int | None = None, batch: int = 0, tower: str | None = None
    ) -> Trace:
        """One head, worked: Q K V scores scaled (soft_capped, biased) masked weights mixed, each cell explained.

        Args:
            layer: the number of the layer.
            head: the number of the head.
            query: the one query whose row is worked out, at any length: its cells have the names that they have in the
                whole head, weights[5000,3]. None: all queries.
            batch: the sequence.
            tower: the part of the model, if there are several.

        Raises:
            LookupError: there is no such layer, head, query or sequence.
            ValueError: the head is too long for all of its queries to be worked out at once.
        """
        found = self.place(layer, head, batch, tower)
        return trace_of(self, found, batch, head, query)

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

    def overview(self, bins: int = BINS, *, progress: Callable[[int, int], None] | None = None) -> Overview:
        """What every head does, of a text of any length, in one streaming pass over its queries and keys.

        Kept is what is of the order of the length: of every row its log-sum-exp and what `head_statistics` says of it,
        and of every head its map, pooled to bins × bins by mean and by maximum, and how far it looks.

        Args:
            bins: bins along each side of the pooled maps, at most.
            progress: called with the layers that are done and how many there are.

        Raises:
            ValueError: bins is no whole number above 0.
        """
        if isinstance(bins, bool) or not isinstance(bins, Integral) or bins < 1:
            raise ValueError(f"bins: expected a whole number from 1, got {bins!r}")
        found = self._overviews.setdefault(int(bins), Overview(self, int(bins), self._kept(int(bins))))
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
            queries: the rows; keys: the columns.
            keys: the columns.
            step: so many rows and columns become one number.
            pool: how: "mean" or "largest". −1 where the mask hides all of them.
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
        return tile_of(attention, batch, head, queries, keys, lse, step, pool)

    def top(
        self, layer: int, head: int, query: int, count: int = 10, *, batch: int = 0, tower: str | None = None
    ) -> list[tuple[int, float]]:
        """The keys that have most of a query's weight, the largest first, as (key, weight).

        Raises:
            LookupError: there is no such layer, head, query or sequence.
        """
        return strongest(self.row(layer, head, query, batch=batch, tower=tower), count)

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
            count: how many.
            apart: only those whose query and key are at least so many positions from each other.
            first: False leaves out the weights on the first token, where many heads put what they need nowhere.
            batch: the sequence.
            tower: the part of the model.

        Raises:
            LookupError: there is no such layer, head or sequence.
        """
        found = self.place(layer, head, batch, tower)
        attention = self._attention(layer, head, batch, tower)
        without = None if first else self.positions(found)[batch].first
        return links_of(attention, batch, head, self.overview_of(found), count, apart, without)

    def overview_of(self, layer: Layer) -> LayerOverview:
        """The overview of one layer, with as many bins as one that is there, or else the usual number."""
        if not self._overviews and layer.label in self.overviews:
            return self.overviews[layer.label]
        there = next(iter(self._overviews.values()), None)
        if there is None:
            there = self._overviews.setdefault(BINS, Overview(self, BINS))
        return there.of(layer)

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

    @cached_property
    def agreement(self) -> Agreement:
        """For each layer the largest difference of the recomputed output from the kernel's own, and the tolerance."""
        return Agreement(
            agreement_of(layer.attention, layer.label) for layer in self.layers if layer.attention is not None
        )

    def save(self, path: str | Path, *, below: bool = True) -> None:
        """Write the capture to one file, exactly; `clearhead.load_capture` reads it back without the model.

        The file is in the safetensors format, its numbers in the model's own formats.

        Args:
            path: where; a file that is there is replaced when all of the new one is written.
            below: keep what lies around the heads too: the layers' inputs and the model's own matrices.

        Raises:
            OSError: the place cannot be written, or is no file; the message names it.
        """
        from clearhead.trace.capture.saved import save_capture  # imported here because it builds Captures

        save_capture(self, path, below=below)

    def place(self, layer: int, head: int, batch: int = 0, tower: str | None = None) -> Layer:
        """One attention layer that has such a head, in a capture that has such a sequence.

        Raises:
            LookupError: there is no such layer, head or sequence.
        """
        found = self.layer(layer, tower)
        assert found.attention is not None  # layer() gives no other
        for axis, number, size in (("head", head, found.heads), ("batch", batch, found.attention.sequences)):
            if not 0 <= number < size:
                raise LookupError(f"{axis}: {number!r} is none of layer {layer}'s; expected 0 to {size - 1}")
        return found

    def _attention(self, layer: int, head: int, batch: int, tower: str | None) -> Attention:
        attention = self.place(layer, head, batch, tower).attention
        assert attention is not None
        return attention

    def __str__(self) -> str:
        """The model, its layers, and how far each lies from the model's own numbers."""
        others = [f"{layer.label}: {layer.what}" for layer in self.layers if layer.attention is None]
        return "\n".join(
            [repr(self), *(f"note: {note}" for note in self.notes), str(self.agreement), *others]
        )

    def __repr__(self) -> str:
        """The model and how much was captured, in one line."""
        count = len(list(self.attentions()))
        name = self.provenance.get("model", "a model")
        layers, heads, tokens = (
            _counted(number, what)
            for number, what in (
                (count, "attention layer"),
                (self.heads, "head"),
                (len(self.tokens), "token"),
            )
        )
        return f"Capture of {name}: {layers} of {heads}, {tokens}"


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


def _listed(numbers: Sequence[int]) -> str:
    """Whole numbers as text, runs shortened: "0 to 11", "1, 3, 5"."""
    if len(numbers) > 2 and list(numbers) == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers))


def _counted(number: int, what: str) -> str:
    """A number of things, such as "1 head" or "3 heads"."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
