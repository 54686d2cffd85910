"""A long text, read in a thread of its own while the page asks how far it is."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from clearhead.lenses.overview import thumbnails
from clearhead.messages import Unit, Working, WorkingLayer
from clearhead.session.view import Unfinished, View
from clearhead.sources.worked import ExampleError
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.overview import LayerOverview

WAITS = 0.25
"""Seconds that an answer may wait for what is not there yet."""

FORGOTTEN = 2.0
"""Seconds after which a reading that no page asks about makes room for another. A page asks several times a second."""

OTHERS_TURN = "Another text is being read, and the model reads one at a time: this one waits for its turn."
FAILED = "the reading failed inside Clearhead; the server's log says how"

log = logging.getLogger(__name__)


class GivenUp(Exception):
    """Ends a reading that makes room for another."""


class SoFar(NamedTuple):
    """How far a reading is: what is going on, and how many of how many are done; a total of 0 is not known."""

    what: str
    done: int = 0
    total: int = 0
    unit: Unit = "heads"

    @property
    def counted(self) -> str:
        """How much is done, such as "209 of 270 heads"; "" where nothing is counted."""
        return f"{self.done} of {self.total} {self.unit}" if self.total else ""


class LongReading:
    """One long text being read. It goes on when the page that asked for it is closed.

    Attributes:
        name: the model's name on the page.
        heads: how many heads there are, of all layers; None: they are not all there yet.
        heads_at: when they were, on the clock of `time.monotonic`.
        tokens: how many tokens the longest of the texts has, from then on.
        gone: whether it made room for another before it was done.
        told: whether it failed, and that was said.
    """

    def __init__(self, name: str, read: Callable[[LongReading], Capture]) -> None:
        """`read` makes the capture and tells how far it is with `tell` and `finished`."""
        self.name = name
        self.heads: int | None = None
        self.heads_at = 0.0
        self.tokens = 0
        self.gone = self.told = False
        self._read = read
        self._capture: Capture | None = None
        self._error: ExampleError | None = None
        self._began = self._asked = time.monotonic()
        self._so_far = SoFar("Beginning to read.")
        self._layers: list[tuple[Layer, np.ndarray]] = []
        self._room_wanted = False
        self._ended = threading.Event()

    def start(self) -> None:
        """Begin, in a thread that does not keep the program from ending."""
        threading.Thread(target=self._work, name="clearhead-reading", daemon=True).start()

    def _work(self) -> None:
        try:
            self._capture = self._read(self)
        except GivenUp:
            self.gone = True
        except ExampleError as error:
            self._error = error
        except Exception:  # ours to mend
            log.exception("reading a long text failed")
            self._error = ExampleError("model", FAILED)
        finally:
            self._ended.set()

    def tell(self, what: str, done: int = 0, total: int = 0, unit: Unit = "heads") -> None:
        """Called by the reading: what is going on, and how much of it is done.

        Raises:
            GivenUp: it is to make room for another.
        """
        self._so_far = SoFar(what, done, total, unit)
        if self._room_wanted:
            raise GivenUp

    def finished(self, layers: Sequence[Layer], overview: LayerOverview) -> None:
        """Called by the reading: the heads of one more layer are there.

        Args:
            layers: all that are finished; what the first are called may be known better than before.
            overview: that of the last of them.
        """
        attention = layers[-1].attention
        assert attention is not None  # only such layers have heads
        before = [pictures for _, pictures in self._layers[: len(layers) - 1]]
        pictures = [*before, thumbnails(overview, attention)]
        self._layers = list(zip(layers, pictures, strict=True))

    def all_heads(self, capture: Capture) -> None:
        """Called by the reading: the heads of all layers are there."""
        self.heads_at = time.monotonic()
        self.tokens = max(len(row) for rows in capture.texts.values() for row in rows)
        self.heads = sum(layer.heads for layer in capture.layers)

    @property
    def problem(self) -> str:
        """Why it failed, in a sentence; "" if it did not."""
        return "" if self._error is None else str(self._error)

    @property
    def forgotten(self) -> bool:
        """Whether no page has asked about it for a while."""
        return time.monotonic() - self._asked > FORGOTTEN

    @property
    def ended(self) -> bool:
        """Whether it is done, with or without a capture."""
        return self._ended.is_set()

    @property
    def so_far(self) -> SoFar:
        """What is going on, and how much of it is done."""
        return self._so_far

    def give_up(self) -> None:
        """Let it end as soon as it can."""
        self._room_wanted = True

    def join(self, seconds: float | None = None) -> bool:
        """Wait for its end, at most so long; whether it has ended."""
        return self._ended.wait(seconds)

    def result(self) -> Capture:
        """The capture, if it is there soon.

        Raises:
            Unfinished: it is not.
            ExampleError: the text cannot be read.
        """
        self._asked = time.monotonic()
        if not self._ended.wait(WAITS):
            raise Unfinished(self._view())
        if self._error is not None:
            self.told = True
            raise self._error
        if self._capture is None:
            raise Unfinished(waiting(self.name))
        return self._capture

    def _view(self) -> View:
        so_far = self._so_far
        layers = self._layers  # another list takes its place meanwhile
        data = Working(
            kind="working", name=self.name, what=so_far.what, done=so_far.done, total=so_far.total, unit=so_far.unit,
            seconds=time.monotonic() - self._began,
            layers=[
                WorkingLayer(
                    label=layer.label, tower=layer.tower, number=layer.number, heads=layer.heads, thumbnails=place
                )
                for place, (layer, _) in enumerate(layers)
            ],
        )  # fmt: skip
        return View(data, [pictures for _, pictures in layers])


def waiting(name: str) -> View:
    """The answer about a text that waits while another is read."""
    data = Working(
        kind="working", name=name, what=OTHERS_TURN, done=0, total=0, unit="heads", seconds=0.0, layers=[]
    )
    return View(data)
