"""The models of a server: the study model, and those that the command was started with. A page opens no others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

from clearhead.messages import ModelTitle
from clearhead.session.modelstate import Reading
from clearhead.session.offers import ANSWERED, Offer, loaded_offer, study_offer
from clearhead.session.remembered import Remembered
from clearhead.sources.worked import ExampleError
from clearhead.trace.capture.capture import Capture

if TYPE_CHECKING:
    from clearhead.sources.models.loading import Loaded

CAPTURES_KEPT = 4
"""Runs that are remembered: the present one, the same without its changes, and those from before."""

FIELDS = ("text", "decoder", "generate", "changes")
"""What a sentence of a source may begin with, when it is about one of the state's fields."""


class Models:
    """What can be opened, and the last captures. One model runs at a time: another message waits, and finds it done."""

    def __init__(
        self, loaded: Sequence[Loaded] = (), text: str | None = None, decoder: str | None = None
    ) -> None:
        offers = [study_offer(text if not loaded else None), *(loaded_offer(one, text) for one in loaded)]
        self._offers = {offer.title["name"]: offer for offer in offers}
        self._decoder = decoder
        self._captures: Remembered[Capture] = Remembered(CAPTURES_KEPT)
        self._running = Lock()

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

    def capture(self, reading: Reading) -> Capture:
        """The capture, made or remembered.

        Raises:
            ExampleError: the model cannot read this; the field says what is at fault.
        """
        reading = self.completed(reading)
        found = self._captures.get(reading)
        if found is None:
            with self._running:
                found = self._captures.of(reading, lambda: _run(self.offer(reading.model), reading))
        return found


def _run(offer: Offer, reading: Reading) -> Capture:
    """The capture; whatever the model cannot do is one sentence about a field of the state."""
    try:
        return offer.run(reading)
    except ExampleError:
        raise
    except ImportError as error:
        raise ExampleError("model", str(error)) from None
    except MemoryError:
        raise ExampleError(
            "text", "there is not enough memory for this model on this text; expected less"
        ) from None
    except (ValueError, LookupError, RuntimeError, NotImplementedError) as error:
        raise _about_a_field(error, offer.title["name"]) from None


def _about_a_field(error: Exception, name: str) -> ExampleError:
    """What a source said, as a mistake in the field that it begins with; else in the model."""
    sentence = str(error.args[0]) if isinstance(error, LookupError) and error.args else str(error)
    first = next((line.strip() for line in sentence.splitlines() if line.strip()), type(error).__name__)
    field, _, problem = first.partition(": ")
    if problem and field in FIELDS:
        return ExampleError(field, problem)
    if first.startswith("change"):
        return ExampleError("changes", first)
    return ExampleError(
        "model", f"{name}: {first}" if isinstance(error, ValueError) else f"{name} failed: {first}"
    )
