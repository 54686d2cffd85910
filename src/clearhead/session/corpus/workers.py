"""Who does the units: this process, or processes that Dask looks after. What they do is the same function."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from importlib import import_module
from itertools import islice
from typing import Any, Protocol

from clearhead.session.corpus.failing import CorpusError, lacking, reason
from clearhead.session.corpus.readers import Identity, reader_of
from clearhead.session.corpus.units import Order, Unit
from clearhead.session.corpus.work import Job, identify, work

LOOPBACK = "127.0.0.1"

WAITING = 3
"""Units that are handed out for each worker, so that none waits for its next."""

PATIENCE = 30.0
"""Seconds until it is said that no scheduler answers, or that no worker is there."""

NEEDED = ("distributed", "dask")


class Workers(Protocol):
    """Those who do the units."""

    def identity(self, order: Order) -> Identity:
        """What the model is that they load."""

    def each(self, job: Job, units: Sequence[Unit]) -> Iterator[tuple[Unit, str]]:
        """Every unit when it is done, in any order, with what is wrong with its file, or nothing."""


@contextmanager
def workers(count: int, scheduler: str | None) -> Iterator[Workers]:
    """This process, `count` new ones on this machine, or those of a scheduler that runs already.

    Raises:
        ImportError: several are asked for, and Dask is not installed.
        CorpusError: the scheduler does not answer, has no workers, or loses them.
    """
    if scheduler is None and count == 1:
        try:
            yield Here()
        finally:
            reader_of.cache_clear()
        return
    distributed = _dask()
    if scheduler is not None:
        with _quiet(), _client(distributed, scheduler, scheduler) as client:
            yield OverDask(client)
        return
    cluster = distributed.LocalCluster(
        n_workers=count, threads_per_worker=1, processes=True, host=LOOPBACK, dashboard_address=None,
        worker_dashboard_address=None, silence_logs=logging.CRITICAL,
    )  # fmt: skip
    with _quiet(), cluster, _client(distributed, cluster, "the workers") as client:
        yield OverDask(client)


def _dask() -> Any:
    try:
        return import_module("distributed")
    except ModuleNotFoundError as error:
        if error.name not in NEEDED:
            raise
        raise lacking(error.name, "working with several processes") from None


@contextmanager
def _client(distributed: Any, where: Any, name: str) -> Iterator[Any]:
    try:
        client = distributed.Client(where, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise CorpusError(
            f"scheduler: {name} does not answer ({reason(error)}); expected an address such as tcp://127.0.0.1:8786"
        ) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise CorpusError(f"scheduler: {name} has no workers; expected at least one") from None
        yield client


@contextmanager
def _quiet() -> Iterator[None]:
    """Without Dask's own reports of what went wrong: it is said in one sentence."""
    handlers = [(handler, handler.level) for handler in logging.getLogger("distributed").handlers]
    for handler, _ in handlers:
        handler.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for handler, level in handlers:
            handler.setLevel(level)


@contextmanager
def _talking() -> Iterator[None]:
    """With the scheduler, which may be gone."""
    try:
        yield
    except CorpusError:
        raise
    except (OSError, CancelledError) as error:
        raise CorpusError(
            f"scheduler: is gone ({reason(error)}); what is done is kept, and the same order goes on there"
        ) from None


class Here:
    """One worker: this process."""

    def identity(self, order: Order) -> Identity:
        """See `Workers`."""
        return identify(order)

    def each(self, job: Job, units: Sequence[Unit]) -> Iterator[tuple[Unit, str]]:
        """See `Workers`."""
        for unit in units:
            yield unit, work(job, unit)


class OverDask:
    """Workers in other processes. A unit whose worker is lost is given to another."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def identity(self, order: Order) -> Identity:
        """See `Workers`."""
        with _talking():
            future = self._client.submit(identify, order, pure=False)
            self._wait([future])
            return self._result(future, order.name)

    def each(self, job: Job, units: Sequence[Unit]) -> Iterator[tuple[Unit, str]]:
        """See `Workers`."""
        remaining = iter(units)
        running: dict[Any, Unit] = {}
        while True:
            with _talking():
                room = WAITING * max(1, len(self._alive())) - len(running)
                for unit in islice(remaining, max(0, room)):
                    running[self._client.submit(work, job, unit, pure=False)] = unit
                done = {future: running.pop(future) for future in self._wait(list(running))}
                said = [(unit, self._result(future, str(unit))) for future, unit in done.items()]
            if not said:
                return
            yield from said

    def _alive(self) -> Any:
        return self._client.nthreads()

    def _wait(self, futures: list[Any]) -> list[Any]:
        """Those that are done, at least one if there is any."""
        without = 0.0
        step = min(1.0, PATIENCE)
        while futures:
            try:
                with self._client.as_current():
                    return list(_dask().wait(futures, timeout=step, return_when="FIRST_COMPLETED").done)
            except TimeoutError:
                without = 0.0 if self._alive() else without + step
            if without >= PATIENCE:
                raise CorpusError(
                    "workers: all are lost, and no new one came; what is done is kept, and the same order goes on there"
                )
        return []

    def _result(self, future: Any, what: str) -> Any:
        try:
            return future.result()
        except _dask().KilledWorker:
            raise CorpusError(
                f"{what}: every worker that was given it was lost (as when memory runs out); what is done is kept; "
                "expected fewer workers, or a smaller --length or --batch-size"
            ) from None
        except (ValueError, CancelledError):
            raise
        except Exception as error:  # whatever a worker of another machine may say
            if type(error) is ImportError:  # our own sentence
                raise
            raise CorpusError(f"{what}: a worker could not do it ({reason(error)})") from None
