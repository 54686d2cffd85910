"""A bar with the time left on stderr, for what may take long; where nobody watches, nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

from clearhead.surfaces.cli.output import printable

Tell = Callable[[int, int], None]
"""Takes what is done and how much there is."""


@contextmanager
def bar(what: str) -> Iterator[Tell]:
    """Gives what is to be told how far it is."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, total: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def say(line: str) -> None:
    """A line on stderr, for what takes a while without a measure."""
    typer.echo(printable(line), err=True)
