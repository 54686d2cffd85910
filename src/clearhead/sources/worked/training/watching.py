"""Showing how far a training is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from clearhead.sources.worked.training.run import Progress


@contextmanager
def watched(progress: Progress | bool | None, steps: int) -> Iterator[Progress]:
    """Gives what is to be told after every step: the person's own function, a bar with the loss, or nobody.

    Args:
        progress: a function; True for a bar; False for nothing; None for a bar where somebody is watching, which is in
            a terminal or a notebook.
        steps: how many there will be.
    """
    if callable(progress):
        yield progress
        return
    from rich.console import Console  # needed by training alone

    console = Console(stderr=True)
    if not (console.is_terminal or console.is_jupyter if progress is None else progress):
        yield lambda step, loss: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("loss {task.fields[loss]}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console) as bar:
        task = bar.add_task("", total=steps, loss="")
        yield lambda step, loss: bar.update(task, completed=step, loss=f"{loss:.4f}")
