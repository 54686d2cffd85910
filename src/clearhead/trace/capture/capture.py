"""A capture: every attention layer of one run of a real model, with the numbers that entered it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

from clearhead.trace.capture.agreement import Agreement, LayerAgreement, agreement_of
from clearhead.trace.capture.change import Change
from clearhead.trace.capture.grid import Grid
from clearhead.trace.capture.head import trace_of
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.overview import LayerOverview
from clearhead.trace.capture.parts import Parts
from clearhead.trace.capture.token import Token
from clearhead.trace.shown import Shown
from clearhead.trace.trace import Trace

if TYPE_CHECKING:
    from pathlib import Path

Words = tuple[tuple[dict[str, Any], ...], ...]
"""For each sequence the likeliest next tokens, as JSON-able data: "id", "text", "probability"."""


@dataclass(frozen=True, eq=False)
class Capture(Shown, Parts):
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
        compared: how far layers lay from their kernels when a store was written, by their label.
        traces: of heads whose trace is there already, by tower, layer, head and sequence.
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
    compared: Mapping[str, LayerAgreement] = field(default_factory=dict)
    traces: Mapping[tuple[str, int, int, int], Trace] = field(default_factory=dict)

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

    def written_from(self, name: str) -> int | None:
        """The first token of this sequence of `texts` that the model wrote itself; None if it wrote none of it.

        It writes on in the decoder's sequence, or where there is no other in the text.
        """
        writes = "decoder" if "decoder" in self.texts else "text"
        longest = max(map(len, self.texts.get(name, ())), default=0)
        return self.prompt if name == writes and self.prompt and self.prompt < longest else None

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
        if number not in there or isinstance(number, bool) or not isinstance(number, Integral):
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
        if known := self.traces.get((found.tower, found.number, head, batch)):
            return known
        return trace_of(self, found, batch, head, query)

    @cached_property
    def agreement(self) -> Agreement:
        """For each layer the largest difference of the recomputed output from the kernel's own, and the tolerance."""
        return Agreement(map(self.agreement_of, self.attentions()))

    def agreement_of(self, layer: Layer) -> LayerAgreement:
        """That of one layer, as it was found when a store was written, or worked out now."""
        assert layer.attention is not None  # an attention layer
        return self.compared.get(layer.label) or agreement_of(layer.attention, layer.label)

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
            if isinstance(number, bool) or not isinstance(number, Integral) or not 0 <= number < size:
                raise LookupError(f"{axis}: {number!r} is none of layer {layer}'s; expected 0 to {size - 1}")
        return found

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


def _listed(numbers: Sequence[int]) -> str:
    """Whole numbers as text, runs shortened: "0 to 11", "1, 3, 5"."""
    if len(numbers) > 2 and list(numbers) == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers))


def _counted(number: int, what: str) -> str:
    """A number of things, such as "1 head" or "3 heads"."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
