"""Layers that are looked at, and written to a store, one by one while the model runs; then their tensors are let go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from clearhead.sources.models.call import Call
from clearhead.sources.models.failing import CaptureError
from clearhead.sources.models.recorder import Layer as Recorded
from clearhead.sources.models.recorder import Recorder, attention_of, written_over
from clearhead.sources.models.streams import Streams
from clearhead.trace.capture.agreement import LayerAgreement, agreement_of
from clearhead.trace.capture.arguments import without
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.positions import Positions
from clearhead.trace.capture.store import Store

if TYPE_CHECKING:
    from clearhead.sources.models.spill_told import Told
    from clearhead.trace.capture.overview import LayerOverview

WRITTEN_OVER = "the model wrote over what its kernel had read, so nothing of it is kept"


@dataclass(frozen=True)
class Kept:
    """What there is of one layer when the run is over.

    Attributes:
        attention: None where it cannot be shown.
        what: why not.
        rows: which sequence of tokens its queries are.
        columns: which its keys are.
        overview: its overview, where one is made.
        file: how the store knows it, where there is one.
        agreement: how far it lies from its kernel, where there is a store.
    """

    attention: Attention | None
    what: str
    rows: str
    columns: str
    overview: LayerOverview | None = None
    file: dict[str, Any] | None = None
    agreement: LayerAgreement | None = None


Taken = Mapping[tuple[str, int], Kept]
"""Layers by the names of their modules and the numbers of their calls, in the order in which they ran."""

Looked = Callable[[Taken], None]


class Spill:
    """Takes each layer of a run as soon as no more can come to it: when the next one has been called, or at the end."""

    def __init__(
        self,
        recorder: Recorder,
        store: Store | None = None,
        bins: int = 0,
        told: Told | None = None,
        looked: Looked | None = None,
    ) -> None:
        """For one run.

        Args:
            recorder: keeps the calls.
            store: where the layers are written; None: they stay in memory.
            bins: of the overviews; 0 for none.
            told: is told how far it is.
            looked: is given the layers that are taken so far, after each.
        """
        self._recorder, self._store, self._bins, self._told = recorder, store, bins, told
        self._streams: Streams | None = None
        self._looked = looked
        self._latest: tuple[str, int] | None = None
        self._taken: dict[tuple[str, int], Kept] = {}

    def during(self, streams: Streams) -> None:
        """The run is a single pass, whose tokens are known: layers can be taken on the way, if there is a use in it."""
        if self._store is not None or self._bins:
            self._streams = streams

    def keep(self, call: Call, result: Any) -> Any:
        """Keep a call, as `Recorder.keep` does, and take the layer before it if it is of another one."""
        if self._streams is None:
            return self._recorder.keep(call, result)
        name, turn = self._recorder.name_of(call.module), self._recorder.turn(call)
        last = self._recorder.turns.last(call.module)
        within = last is not None and last.entry == turn.entry and (name, last.nth) in self._taken
        if within or (name, turn.nth) in self._taken:
            raise CaptureError(
                f"{name}: is called again after another layer, so it cannot be taken while the model runs; expected "
                f"{without('store', 'overview') or 'a model whose layers run one after another'}"
            )
        result = self._recorder.keep(call, result)
        if (name, turn.nth) in self._recorder.layers:
            before, self._latest = self._latest, (name, turn.nth)
            if before not in (None, self._latest) and before in self._recorder.layers:
                self.take(self._streams, self._recorder.layers[before])
        return result

    def take(self, streams: Streams, layer: Recorded) -> Kept:
        """What there is of a layer, which gets no more calls; of what is written to a store nothing stays."""
        place = layer.name, layer.nth
        if place not in self._taken:
            attention, why = attention_of(layer), WRITTEN_OVER if written_over(layer) else ""
            rows, columns = streams.of(layer.name, layer.cross, attention)
            self._taken[place] = (
                Kept(None, why, rows, columns)
                if why
                else self._looked_at(len(self._taken), attention, streams, rows, columns)
            )
            if self._store is not None:
                layer.steps.clear()
            if self._looked is not None:
                self._looked(self._taken)
        return self._taken[place]

    def finished(self, capture: Capture, follows: str | None = None) -> Capture:
        """The capture with its overviews; the one that the store gives, if there is one, and `follows` is kept there.

        Raises:
            CaptureError: the store cannot be finished, and why.
        """
        known = {id(one.attention): one for one in self._taken.values() if one.attention is not None}
        kept = {one.label: known[id(one.attention)] for one in capture.attentions()}
        if self._store is not None:
            compared = {label: one.agreement for label, one in kept.items() if one.agreement is not None}
            return self._store.finish(
                capture, {label: one.file or {} for label, one in kept.items()}, compared, follows
            )
        overviews = {label: one.overview for label, one in kept.items() if one.overview is not None}
        return replace(capture, overviews=overviews) if overviews else capture

    def _looked_at(
        self, number: int, attention: Attention, streams: Streams, rows: str, columns: str
    ) -> Kept:
        if self._told is not None:
            self._told.begins(number, attention)
        overview = partial(self._overview, attention, streams, rows, columns) if self._bins else None
        if self._store is None:
            kept = Kept(attention, "", rows, columns, None if overview is None else overview())
        else:
            self._store.keep(number, attention, overview)
            stored = self._store.layer(number)
            agreement = agreement_of(attention, "")  # while it is in memory
            kept = Kept(stored.attention, "", rows, columns, stored.overview, stored.file, agreement)
        if self._told is not None:
            self._told.ends()
        return kept

    def _overview(self, attention: Attention, streams: Streams, rows: str, columns: str) -> LayerOverview:
        from clearhead.trace.capture.streamed import layer_overview  # with the first use: it compiles

        own = rows == columns and attention.queries == attention.keys
        positions = [
            Positions.of(streams.texts[rows][batch], streams.texts[columns][batch], own)
            for batch in range(attention.sequences)
        ]
        tell = None if self._told is None else self._told.heads
        return layer_overview(attention, positions, self._bins, tell=tell)
