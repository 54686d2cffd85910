"""The models of a server: the study model, and those that the command was started with. A page opens no others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from clearhead.messages import ModelTitle
from clearhead.session.atfault import about_the_state
from clearhead.session.long import LongReading
from clearhead.session.longreadings import LongReadings
from clearhead.session.modelstate import Reading
from clearhead.session.offers import ANSWERED, Offer, loaded_offer, saved_offer, study_offer
from clearhead.session.remembered import Remembered
from clearhead.session.turn import Turn
from clearhead.sources.worked import ExampleError
from clearhead.trace.capture.capture import Capture

if TYPE_CHECKING:
    from clearhead.sources.models.loading import Loaded

CAPTURES_KEPT = 4
"""Runs that are remembered: the present one, the same without its changes, and those from before."""

LENGTHS_KEPT = 64


class Models:
    """What can be opened, and the last captures. One model runs at a time: another message waits, and finds it done.

    A long text is read in a thread of its own: see `session.long`.
    """

    def __init__(
        self,
        loaded: Sequence[Loaded] = (),
        text: str | None = None,
        decoder: str | None = None,
        *,
        saved: Mapping[str, Capture] | None = None,
    ) -> None:
        """What there is to open.

        Args:
            loaded: models.
            text: what they read first.
            decoder: what their decoder is given first.
            saved: saved captures, by the paths of their files.
        """
        offers = [study_offer(text if not loaded else None), *(loaded_offer(one, text) for one in loaded)]
        offers += [saved_offer(capture, path) for path, capture in (saved or {}).items()]
        self._offers = {offer.title["name"]: offer for offer in offers}
        self._decoder = decoder
        self._captures: Remembered[Capture] = Remembered(CAPTURES_KEPT)
        self._lengths: Remembered[bool] = Remembered(LENGTHS_KEPT)
        self._turn = Turn()
        self._long = LongReadings(self._turn)

    @property
    def titles(self) -> list[ModelTitle]:
        """What there is to choose from."""
        return [offer.title for offer in self._offers.values()]

    def offer(self, name: str) -> Offer:
        """The model of that name; never one that the server was not started with: a page must not read files.

        Raises:
            ExampleError: there is none, or it cannot be opened from a page.
        """
        if name not in self._offers:
            raise ExampleError(
                "model", f"no model is named {name!r} here; expected one of {', '.join(self._offers)} (another one is "
                "opened with the command `clearhead model NAME`)"
            )  # fmt: skip
        if needs := self._offers[name].title["needs"]:
            raise ExampleError("model", f"{name}: {needs}")
        return self._offers[name]

    def completed(self, reading: Reading) -> Reading:
        """The reading with all that the state left open: the model's own text, and an answer where it needs one."""
        title = self.offer(reading.model).title
        reading = replace(reading, text=title["text"] if reading.text is None else reading.text)
        if not title["decoder"]:
            return replace(reading, decoder=None)
        if reading.decoder is None and not reading.generate:
            return replace(reading, decoder=self._decoder, generate=0 if self._decoder else ANSWERED)
        return reading

    def is_long(self, reading: Reading) -> bool:
        """Whether a text has so many tokens that it is read in a thread of its own."""
        reading = self.completed(reading)
        return self._lengths.of(reading, lambda: self._offers[reading.model].is_long(reading))

    def capture(self, reading: Reading) -> Capture:
        """The capture, made or remembered.

        Raises:
            Unfinished: a long text is being read, this one or one that it waits for.
            ExampleError: the model cannot read this; the field says what is at fault.
        """
        reading, offer = self.completed(reading), self.offer(reading.model)
        if self.is_long(reading) or self._long.keeps(reading):
            return self._long.of(reading, offer).result()
        found = self._captures.get(reading)
        if found is None:
            with nullcontext() if offer.quick else self._turn.of_short(reading.model):
                found = self._captures.of(reading, lambda: _run(offer, reading))
        return found

    def begin(self, reading: Reading, store: str | None = None) -> LongReading | None:
        """Read a text before a page asks for it.

        Args:
            reading: the text.
            store: a folder to keep the capture in, which goes on with what it has already.

        Returns:
            The reading in its thread; None if the text is short and is to be kept nowhere: then it is read.

        Raises:
            ExampleError: the model cannot read this; of a long text it is only found out in its thread.
        """
        reading = self.completed(reading)
        if store is not None:
            self._long.keep(reading, store)
        if store is not None or self.is_long(reading):
            return self._long.of(reading, self.offer(reading.model))
        self.capture(reading)
        return None

    def close(self) -> bool:
        """Let what is being read end, and remove what was kept of it in passing; whether all has ended by then."""
        return self._long.close()


def _run(offer: Offer, reading: Reading) -> Capture:
    with about_the_state(offer.title["name"]):
        return offer.run(reading, None)
