"""What a worker does with a unit, wherever it runs."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from threadpoolctl import threadpool_limits

from clearhead.lenses.statistics import SCORES, head_statistics
from clearhead.session.corpus.failing import CorpusError, reason
from clearhead.session.corpus.files import read_piece
from clearhead.session.corpus.parts import Rows, write_part
from clearhead.session.corpus.readers import Identity, Reader, reader_of
from clearhead.session.corpus.units import Order, Settings, Unit
from clearhead.trace.capture.capture import Capture

Row = tuple[int, int, str, int, int, list[float]]


@dataclass(frozen=True)
class Job:
    """What all units of a run share.

    Attributes:
        order: how the model is loaded.
        settings: what the numbers depend on.
        folder: where the parts are kept.
    """

    order: Order
    settings: Settings
    folder: str


def identify(order: Order) -> Identity:
    """What the model is that this worker loads."""
    return reader_of(order).identity


def work(job: Job, unit: Unit) -> str:
    """Do a unit and write its part.

    Returns:
        Nothing, or in a sentence what is wrong with the file or the model on it.

    Raises:
        CorpusError: what is wrong is not about this file.
    """
    reader = reader_of(job.order)
    identity = reader.identity
    if identity.digest != job.settings.model:
        raise CorpusError(
            f"{job.order.name}: a worker has another model under this name; expected the same on every machine"
        )
    if others := set(identity.versions) - set(job.settings.versions):
        name, version = min(others)
        raise CorpusError(
            f"workers: {name} is {version} for one and not for another; expected the same for all"
        )
    with _threads(job.settings.threads):
        try:
            rows = Rows.of(list(_rows(reader, job.settings, unit)))
        except MemoryError:
            return f"{unit}: there is not enough memory; expected a smaller --length or --batch-size"
        except (ValueError, LookupError, RuntimeError) as error:
            said = str(error.args[0]) if isinstance(error, KeyError) else reason(error)
            return said if isinstance(error, CorpusError) else f"{unit}: {said}"
    try:
        write_part(Path(job.folder), unit.name, rows)
    except OSError as error:
        raise CorpusError(f"{job.folder}: cannot be written to ({reason(error)})") from None
    return ""


def _rows(reader: Reader, settings: Settings, unit: Unit) -> Iterator[Row]:
    sequences = reader.sequences(read_piece(unit.file, unit.piece), settings.length)
    done = 0
    for capture in reader.captures(sequences, settings.batch):
        if done == 0 and (failing := capture.agreement.failing):
            raise CorpusError(
                f"{unit}: the weights of {failing[0].layer} do not agree with the model's own numbers"
            )
        for batch in range(_sequences(capture)):
            yield from _of_sequence(capture, batch, done)
            done += 1


def _sequences(capture: Capture) -> int:
    return max((one.attention.sequences for one in capture.attentions() if one.attention), default=0)


def _of_sequence(capture: Capture, batch: int, number: int) -> Iterator[Row]:
    counted = {
        (layer.tower, layer.number): sum(not token.padding for token in capture.tokens_of(layer, batch)[0])
        for layer in capture.attentions()
    }
    for head in head_statistics(capture, batch=batch):
        scores = [math.nan if (score := getattr(head, name)) is None else score for name in SCORES]
        yield number, counted[head.tower, head.layer], head.tower, head.layer, head.head, scores


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """NumPy, PyTorch and the pass over heads on so many threads, and then as they were."""
    torch = sys.modules.get("torch")
    before, said = torch.get_num_threads() if torch else 0, os.environ.get("OMP_NUM_THREADS")
    with threadpool_limits(count):
        os.environ["OMP_NUM_THREADS"] = str(count)
        if torch:
            torch.set_num_threads(count)
        try:
            yield
        finally:
            os.environ.pop("OMP_NUM_THREADS")
            if said is not None:
                os.environ["OMP_NUM_THREADS"] = said
            if torch:
                torch.set_num_threads(before)
