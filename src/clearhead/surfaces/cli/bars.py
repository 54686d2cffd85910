"""A bar with the time left on stderr, for what may take long; where there is no terminal a line, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from clearhead.surfaces.cli.output import printable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

Tell = Callable[[int, int], None]
"""Takes what is done and how much there is."""


@contextmanager
def bar(what: str, line: str | None = None) -> Iterator[Tell]:
    """Gives what is to be told how far it is.

    Args:
        what: what is being done.
        line: what is said of it once where there is no terminal.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        if line is not None:
            say(line)
        yield lambda done, total: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        yield _Bar(progress, progress.add_task(what, total=None))


class _Bar:
    """What is told how far it is, and may be told in other words what is being done."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress, self._task = progress, task

    def __call__(self, done: int, total: int) -> None:
        """So many parts are done."""
        self._progress.update(self._task, completed=done, total=total)

    def say(self, what: str) -> None:
        """This is done now."""
        self._progress.update(self._task, description=what)


def say(line: str) -> None:
    """A line on stderr, for what takes a while without a measure."""
    typer.echo(printable(line), err=True)
