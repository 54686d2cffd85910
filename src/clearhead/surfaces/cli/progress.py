"""How far training is: a bar with the loss in a terminal, a line now and then elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from clearhead.messages.values import Digits
from clearhead.surfaces.cli.losses import chosen_steps, header, row

Tell = Callable[[int, float], None]


@contextmanager
def shown_progress(console: Console, steps: int, digits: Digits) -> Iterator[Tell]:
    """Gives what is to be told after every step: how many are done, and the loss before the last.

    Args:
        console: where to show it; a terminal gets a bar.
        steps: how many there will be.
        digits: how the loss is written.

    Raises:
        BrokenPipeError: whoever reads has left; raised when something is told.
    """
    with _bar(console, steps, digits) if console.is_terminal else _lines(console, steps, digits) as tell:
        yield tell


@contextmanager
def _bar(console: Console, steps: int, digits: Digits) -> Iterator[Tell]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    loss_column = TextColumn("loss {task.fields[loss]}")
    columns = (BarColumn(), MofNCompleteColumn(), loss_column, TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=steps, loss="")

        def tell(step: int, loss: float) -> None:
            bar.update(task, completed=step, loss=row(step, loss, digits).split()[1])

        yield tell


@contextmanager
def _lines(console: Console, steps: int, digits: Digits) -> Iterator[Tell]:
    """The rows of the table of losses as they come."""
    chosen, begun = set(chosen_steps(range(1, steps + 1))), False

    def tell(step: int, loss: float) -> None:
        nonlocal begun
        if step in chosen:
            _write(console, row(step, loss, digits) if begun else f"{header()}\n{row(step, loss, digits)}")
            begun = True

    yield tell


def _write(console: Console, text: str) -> None:
    """At once, so that whoever reads the pipe sees how far it is."""
    console.file.write(text + "\n")
    console.file.flush()
