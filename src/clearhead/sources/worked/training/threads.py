"""Small matrices on one thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread() -> Iterator[None]:
    """Within it, matrix products run on one thread.

    A model small enough to be looked at multiplies matrices so small that handing them to several threads costs more
    than it saves: the induction model of `induction.py` takes 15 ms a step on one thread and 50 to 90 on two.
    """
    from threadpoolctl import threadpool_limits  # needed by training alone

    with threadpool_limits(1, "blas"):
        yield
