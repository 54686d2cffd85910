"""Showing how far a capture is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

import torch

Progress = Callable[[int, int], None]
"""Told how many parts of the run are done, and how many there are."""


@runtime_checkable
class Saying(Protocol):
    """A `Progress` that can also be told in words what is being done."""

    def __call__(self, done: int, total: int, /) -> None:
        """So many parts are done."""

    def say(self, what: str) -> None:
        """This is done now."""


WORTH_A_BAR = 2048
"""Tokens from which one pass through a model takes long enough for a bar."""


@contextmanager
def watched(
    model: torch.nn.Module, progress: Progress | bool | None, generate: int, length: int, blocks: bool = True
) -> Iterator[Progress]:
    """Tells of every word that the model goes on with, or else of every block of its one pass; gives what it tells.

    Args:
        model: what runs in here.
        progress: a function; True for a bar with the time left; False for nothing; None for a bar where somebody is
            watching (a terminal, a notebook) and it takes a while.
        generate: how many words are asked for; 0 for one pass.
        length: tokens that are given.
        blocks: whether blocks are told of; else somebody tells of parts of their own.
    """
    if progress is False or (progress is None and not generate and length < WORTH_A_BAR):
        yield lambda done, of: None
        return
    parts = [model] if generate else blocks_of(model) if blocks else []
    total = generate or len(parts)
    with _told(progress, total) as tell:
        done = 0

        def one_more(*_: object) -> None:
            nonlocal done
            done = min(done + 1, total)
            tell(done, total)

        handles = [part.register_forward_hook(one_more) for part in parts]
        try:
            yield tell
        finally:
            for handle in handles:
                handle.remove()


def blocks_of(model: torch.nn.Module) -> list[torch.nn.Module]:
    """The blocks that a model is a stack of: what its outermost lists of modules hold."""
    found: list[torch.nn.Module] = []
    inside: list[str] = []
    for path, module in model.named_modules():
        if isinstance(module, torch.nn.ModuleList) and not any(
            path.startswith(f"{outer}.") for outer in inside
        ):
            inside.append(path)
            found.extend(module)
    return found or [model]


@contextmanager
def _told(progress: Progress | bool | None, total: int) -> Iterator[Progress]:
    """What is to be told: the person's own function, a bar, or nobody."""
    if callable(progress):
        yield progress
        return
    if progress is None and not (sys.stderr.isatty() or "ipykernel" in sys.modules):
        yield lambda done, of: None
        return
    from rich.console import Console  # needed by long runs alone
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total or None)

        class Shown:
            def __call__(self, done: int, total: int) -> None:
                bar.update(task, completed=done, total=total)

            def say(self, what: str) -> None:
                bar.update(task, description=what)

        yield Shown()
