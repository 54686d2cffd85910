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
from clearhead.session.modelhead import head_view, statistics_view, walk_view
from clearhead.session.models import Models
from clearhead.session.modelstate import MOST_TOKENS, Chosen, Reading, batch_of, chosen, reading_of
from clearhead.session.remembered import Remembered
from clearhead.session.view import View, one_of, sentence
from clearhead.sources.worked import ExampleError
from clearhead.trace.capture.agreement import LayerAgreement, agreement_of
from clearhead.trace.capture.capture import Capture, Words
from clearhead.trace.notation.numbers import DIGITS
from clearhead.trace.shortened import MOST_TERMS
from clearhead.trace.trace import Trace

OVERVIEWS_KEPT, TRACES_KEPT, AGREEMENTS_KEPT = 4, 8, 64


class ModelPart:
    """Answers the messages of the Model part. What it remembers only saves time."""

    def __init__(self, models: Models) -> None:
        self._models = models
        self._overviews: Remembered[View] = Remembered(OVERVIEWS_KEPT)
        self._traces: Remembered[Trace] = Remembered(TRACES_KEPT)
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
        views, buffers = towers(capture, batch)
        data = Model(
            kind="model",
            name=reading.model,
            about=_about(capture),
            notes=[sentence(note) for note in capture.notes],
            text=reading.text or "",
            decoder=reading.decoder or "",
            sequences=max(len(rows) for rows in capture.texts.values()),
            main=capture.main,
            towers=views,
            statistics=[statistics_view(one) for one in head_statistics(capture, batch=batch)],
            statistics_note="",
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
        capture = self._models.capture(reading)
        one = chosen(message, capture)
        attention, label = one.layer.attention, one.layer.label
        assert attention is not None  # only such layers are chosen
        return head_view(one, self._agreements.of((reading, label), lambda: agreement_of(attention, label)))

    def walk(self, message: Mapping[str, Any]) -> View:
        """The walkthrough of one head, folded around one query."""
        reading = reading_of(message)
        one = chosen(message, self._models.capture(reading))
        before = None
        if reading.changes:
            before = self._trace(reading.unchanged, chosen(message, self._models.capture(reading.unchanged)))
        return walk_view(message, one, self._trace(reading, one), before)

    def rollout(self, message: Mapping[str, Any]) -> View:
        """Attention followed through the layers, from one position."""
        return rolled_out(message, self._models.capture(reading_of(message)))

    def explain(self, message: Mapping[str, Any]) -> View:
        """How one cell of a head came about, its terms by size where there are many."""
        reading = reading_of(message)
        trace = self._trace(reading, chosen(message, self._models.capture(reading)))
        name, index = message.get("quantity"), message.get("index")
        if not isinstance(name, str) or name not in trace:
            raise ExampleError("quantity", f"{name!r} is not known; {trace.instead_of(name)}")
        if not isinstance(index, list) or not all(type(number) is int for number in index):
            raise ExampleError("index", f"expected a list of whole numbers, got {index!r}")
        try:
            return View(explain(trace, name, tuple(index), one_of(message, "digits", DIGITS), MOST_TERMS))
        except IndexError as error:
            raise ExampleError("index", str(error)) from None

    def _trace(self, reading: Reading, one: Chosen) -> Trace:
        """The head's trace, made or remembered."""
        place = (one.layer.tower, one.layer.number, one.head, one.batch)
        return self._traces.of(
            (self._models.completed(reading), *place),
            lambda: one.capture.head(one.layer.number, one.head, batch=one.batch, tower=one.layer.tower),
        )


def _about(capture: Capture) -> str:
    """The class, the format and the versions, in one line."""
    known = capture.provenance
    versions = ", ".join(
        f"{name} {number}" for name, number in known.get("versions", {}).items() if name != "python"
    )
    return f"{known['class']}, {known['dtype']} on {known['device']} ({versions})"


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
