"""The Model part: a real model on a text, one head of it, and its walkthrough."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from clearhead.lenses.explain import explain
from clearhead.lenses.overview import agreement_in_words, towers
from clearhead.lenses.statistics import head_statistics
from clearhead.messages import Grid, Model, NextToken
from clearhead.session.contributed import rolled_out
from clearhead.session.modelhead import head_view, statistics_view, walk_view, walked_query
from clearhead.session.models import Models
from clearhead.session.modelstate import (
    MOST_TOKENS,
    Chosen,
    Reading,
    batch_of,
    chosen,
    position_of,
    reading_of,
)
from clearhead.session.offers import text_of
from clearhead.session.remembered import Remembered
from clearhead.session.view import View, one_of, sentence
from clearhead.session.zoom import attention_of, links_view, look_view, tile_view, zoom_view
from clearhead.sources.worked import ExampleError
from clearhead.trace.capture.agreement import LayerAgreement
from clearhead.trace.capture.capture import Capture, Words
from clearhead.trace.capture.overview import LayerOverview
from clearhead.trace.notation.numbers import DIGITS
from clearhead.trace.shortened import MOST_TERMS
from clearhead.trace.trace import Trace

OVERVIEWS_KEPT, TRACES_KEPT, ROWS_KEPT, AGREEMENTS_KEPT = 4, 8, 2, 64


class ModelPart:
    """Answers the messages of the Model part. What it remembers only saves time."""

    def __init__(self, models: Models) -> None:
        self._models = models
        self._overviews: Remembered[View] = Remembered(OVERVIEWS_KEPT)
        self._traces: Remembered[Trace] = Remembered(TRACES_KEPT)
        self._rows: Remembered[Trace] = Remembered(ROWS_KEPT)
        self._agreements: Remembered[LayerAgreement] = Remembered(AGREEMENTS_KEPT)

    def models(self, message: Mapping[str, Any]) -> View:
        """The models there are."""
        return View({"kind": "models", "models": self._models.titles, "longest": MOST_TOKENS})

    def model(self, message: Mapping[str, Any]) -> View:
        """The overview of all heads."""
        reading = self._models.completed(reading_of(message))
        capture = self._models.capture(reading)
        batch = batch_of(message, capture)
        return self._overviews.of((reading, batch), lambda: self._overview(reading, capture, batch))

    def _overview(self, reading: Reading, capture: Capture, batch: int) -> View:
        fixed = self._models.offer(reading.model).title["fixed"]
        views, buffers = towers(capture, batch)
        data = Model(
            kind="model",
            name=reading.model,
            long=self._models.is_long(reading),
            fixed=fixed,
            about=_about(capture),
            notes=[sentence(note) for note in capture.notes],
            text=text_of(capture, batch) if fixed else reading.text or "",
            decoder=reading.decoder or "",
            sequences=max(len(rows) for rows in capture.texts.values()),
            main=capture.main,
            towers=views,
            statistics=[statistics_view(one) for one in head_statistics(capture, batch=batch)],
            statistics_note="",
            rollout_note=_alone(capture),
            walk_note="",
            prompt=capture.prompt,
            grid=_grid(capture),
            next=_next(capture.next_words, batch),
            before=_next(capture.before, batch),
            agreement=agreement_in_words(capture.agreement),
        )
        return View(data, buffers)

    def head(self, message: Mapping[str, Any]) -> View:
        """One head: its map, and how it computes."""
        reading = self._models.completed(reading_of(message))
        one = self._chosen(message, reading)
        self._drawn(reading, "A map of every weight")
        return head_view(one, self._heads(one), self._agreement(reading, one))

    def zoom(self, message: Mapping[str, Any]) -> View:
        """One head as a whole, at any length."""
        reading = self._models.completed(reading_of(message))
        one = self._chosen(message, reading)
        return zoom_view(one, self._heads(one), self._agreement(reading, one))

    def tile(self, message: Mapping[str, Any]) -> View:
        """A part of a head's map."""
        one = self._chosen(message, reading_of(message))
        return tile_view(message, one, self._heads(one))

    def look(self, message: Mapping[str, Any]) -> View:
        """One cell of a head's map."""
        return look_view(message, self._chosen(message, reading_of(message)))

    def links(self, message: Mapping[str, Any]) -> View:
        """The strongest links of a head."""
        one = self._chosen(message, reading_of(message))
        return links_view(message, one, self._heads(one))

    def walk(self, message: Mapping[str, Any]) -> View:
        """The walkthrough of one head, folded around one query."""
        reading = reading_of(message)
        one = self._chosen(message, reading)
        query, before = walked_query(message, one), None
        row = query if self._models.is_long(reading) else None
        if reading.changes:
            before = self._trace(reading.unchanged, self._chosen(message, reading.unchanged), row)
        return walk_view(one, query, self._trace(reading, one, row), before)

    def rollout(self, message: Mapping[str, Any]) -> View:
        """Attention followed through the layers, from one position."""
        reading = reading_of(message)
        capture = self._models.capture(reading)
        self._drawn(reading, "Attention through all layers")
        return rolled_out(message, capture)

    def explain(self, message: Mapping[str, Any]) -> View:
        """How one cell of a head came about, its terms by size where there are many."""
        reading, name, index = reading_of(message), message.get("quantity"), message.get("index")
        if not isinstance(index, list) or not all(type(number) is int for number in index):
            raise ExampleError("index", f"expected a list of whole numbers, got {index!r}")
        one = self._chosen(message, reading)
        trace = self._trace(reading, one, self._row(message, reading, one, index))
        if not isinstance(name, str) or name not in trace:
            raise ExampleError("quantity", f"{name!r} is not known; {trace.instead_of(name)}")
        try:
            return View(explain(trace, name, tuple(index), one_of(message, "digits", DIGITS), MOST_TERMS))
        except IndexError as error:
            raise ExampleError("index", str(error)) from None

    def _chosen(self, message: Mapping[str, Any], reading: Reading) -> Chosen:
        return chosen(message, self._models.capture(reading))

    def _heads(self, one: Chosen) -> LayerOverview:
        """The overview of the layer of a head; the capture remembers those of all its layers."""
        return one.capture.overview_of(one.layer)

    def _agreement(self, reading: Reading, one: Chosen) -> LayerAgreement:
        """How far the layer of a head lies from its kernel; of a long text it is known of all layers."""
        label = one.layer.label
        if self._models.is_long(reading):
            return next(layer for layer in one.capture.agreement if layer.layer == label)
        return self._agreements.of((reading, label), lambda: one.capture.agreement_of(one.layer))

    def _drawn(self, reading: Reading, what: str) -> None:
        """Refuse of a long text what is drawn with every position.

        Raises:
            ExampleError: the text is long.
        """
        if self._models.is_long(reading):
            raise ExampleError(
                "text",
                f"it is long, and is looked at by zooming. {what} is drawn of texts up to {MOST_TOKENS} tokens",
            )

    def _row(self, message: Mapping[str, Any], reading: Reading, one: Chosen, index: list[int]) -> int | None:
        """Of a long text the query whose row alone is worked out; else None."""
        if not self._models.is_long(reading):
            return None
        size = attention_of(one).queries
        first = index[0] if index else 0
        return position_of(message, "query", size, min(max(first, 0), size - 1))

    def _trace(self, reading: Reading, one: Chosen, query: int | None = None) -> Trace:
        """The head's trace, or that of one query, made or remembered."""
        layer, kept = one.layer, self._traces if query is None else self._rows
        return kept.of(
            (self._models.completed(reading), layer.tower, layer.number, one.head, one.batch, query),
            lambda: one.capture.head(layer.number, one.head, batch=one.batch, tower=layer.tower, query=query),
        )


def _about(capture: Capture) -> str:
    """The class, the format and the versions, in one line."""
    known = capture.provenance
    versions = ", ".join(
        f"{name} {number}" for name, number in known.get("versions", {}).items() if name != "python"
    )
    if "class" not in known:  # a capture that was put together by hand
        return str(known.get("model", ""))
    return f"{known['class']}, {known['dtype']} on {known['device']} ({versions})"


def _alone(capture: Capture) -> str:
    """Why a head by itself is followed nowhere; "" where there are layers."""
    return "This is a head by itself: there are no other layers." if next(capture.attentions()).named else ""


def _next(found: Words, batch: int) -> list[NextToken]:
    words = found[batch] if batch < len(found) else ()
    return [
        NextToken(text=one["text"], id=one["id"], probability=one["probability"])
        for one in words
        if math.isfinite(one["probability"])
    ]


def _grid(capture: Capture) -> Grid | None:
    grid = next(iter(capture.grids.values()), None)
    return None if grid is None else Grid(rows=grid.rows, columns=grid.columns, offset=grid.offset)
