"""The long texts that are being read, and those that were."""

from __future__ import annotations

import shutil
import threading
import weakref
from contextlib import ExitStack
from pathlib import Path

from clearhead.messages import Unit
from clearhead.session.atfault import about_the_state
from clearhead.session.long import LongReading
from clearhead.session.modelstate import Reading
from clearhead.session.offers import How, Offer
from clearhead.session.turn import Turn
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.passing import passing_folder, remove_passing

LONG_KEPT = 2
"""Long readings that stay open when they are done. Each may take gigabytes of a disk."""

SECONDS_TO_END = 2.0
"""How long the end of the program may wait for a reading to notice that it is to end."""

RUNS, LOOKS = "The model is reading the text.", "Looking at the heads."
COMPARES = "All heads are there. Comparing them with what the model's own kernels returned."


class LongReadings:
    """Long readings by what is read. Their captures lie in folders, which are removed unless they are to be kept."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._readings: dict[Reading, LongReading] = {}
        self._kept: dict[Reading, str] = {}
        self._lock = threading.Lock()
        self._folders = Folders()

    def keep(self, reading: Reading, store: str) -> None:
        """Let the capture of a text be kept in a folder."""
        self._kept[reading] = store

    def keeps(self, reading: Reading) -> bool:
        """Whether the capture of a text is kept in a folder."""
        return reading in self._kept

    def of(self, reading: Reading, offer: Offer) -> LongReading:
        """The reading, begun now unless it was before. One that failed is begun anew when it is asked for again."""
        with self._lock:
            found = self._readings.get(reading)
            if found is None or found.gone or found.told:
                found = LongReading(offer.title["name"], lambda one: self._read(reading, offer, one))
                self._make_place()
                self._readings[reading] = found
                found.start()
            else:  # the last one that was asked for comes last
                self._readings[reading] = self._readings.pop(reading)
            return found

    def _make_place(self) -> None:
        done = [reading for reading, one in self._readings.items() if one.ended]
        for reading in done[: max(0, len(done) - LONG_KEPT + 1)]:
            del self._readings[reading]

    def _read(self, reading: Reading, offer: Offer, one: LongReading) -> Capture:
        with self._turn.of_long(one), about_the_state(offer.title["name"]):
            if offer.title["fixed"]:
                capture = offer.run(reading, None)
            else:
                one.tell(RUNS)
                capture = self._run(reading, offer, one)
            _look(capture, one)
            one.tell(COMPARES, one.heads or 0, one.heads or 0)
            _ = capture.agreement  # which it remembers
            return capture

    def _run(self, reading: Reading, offer: Offer, one: LongReading) -> Capture:
        """The capture, in the folder that it is to be kept in, or in one that is removed with it."""
        kept = self._kept.get(reading)
        store = self._folders.new() if kept is None else kept
        how = How(store, Told(one), one.finished)
        with ExitStack() as unless_it_is_done:
            if kept is None:
                unless_it_is_done.callback(shutil.rmtree, store, ignore_errors=True)
            capture = offer.run(reading, how)
            unless_it_is_done.pop_all()
        if kept is None:
            weakref.finalize(capture, shutil.rmtree, store, ignore_errors=True)
        return capture

    def close(self) -> bool:
        """Let what is being read end, and remove the folders of what is not to be kept; whether all has ended."""
        for one in self._readings.values():
            one.give_up()
        ended = [one.join(SECONDS_TO_END) for one in self._readings.values()]
        self._folders.remove()
        return all(ended)


class Told:
    """Takes how far the model is, and hands it on: words of its own are said of heads alone."""

    def __init__(self, one: LongReading) -> None:
        self._one = one
        self._unit: Unit = "new tokens"

    def __call__(self, done: int, total: int) -> None:
        """So many are done."""
        self._one.tell(RUNS, done, total, self._unit)

    def say(self, what: str) -> None:
        """Which layer is looked at, which the page shows by the layers that are there."""
        self._unit = "heads"


def _look(capture: Capture, one: LongReading) -> None:
    """Look at the heads of all layers, and tell of each layer that is done."""
    layers, done = list(capture.attentions()), 0
    for at, layer in enumerate(layers):
        one.tell(LOOKS, done, sum(layer.heads for layer in layers))
        one.finished(layers[: at + 1], capture.overview_of(layer))
        done += layer.heads
    one.all_heads(capture)


class Folders:
    """Folders for what is not to be kept, removed at the end of the program at the latest."""

    def __init__(self) -> None:
        self._base: Path | None = None
        self._count = 0

    def new(self) -> str:
        """The path of a folder that is not there yet."""
        if self._base is None:
            self._base = passing_folder()
            weakref.finalize(self, remove_passing, self._base)
        self._count += 1
        return str(Path(self._base, str(self._count)))

    def remove(self) -> None:
        """Remove them all."""
        if self._base is not None:
            remove_passing(self._base)
