"""The losses of a training run: some of them as a table, all of them as a curve one line high."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from rich.console import Console
from rich.text import Text

from clearhead.messages.values import Digits
from clearhead.sources.worked import run as run_example
from clearhead.sources.worked.training.run import TrainingRun
from clearhead.surfaces.cli.prose import wrapped
from clearhead.surfaces.cli.vocabulary import CAME, next_words
from clearhead.trace.notation.numbers import format_number

ROWS = 10
"""Rows of the table, beside that of the first step."""

CURVE = 60
"""Columns that the curve takes at most."""

HEIGHTS = "▁▂▃▄▅▆▇█"


def training_lines(run: TrainingRun, console: Console, digits: Digits, good: bool) -> Iterator[Text]:
    """What came of it: the losses, the curve, and what the model expects now.

    Args:
        run: a run that has ended.
        console: a terminal has not seen the losses yet, because the bar is gone.
        digits: how the losses are written.
        good: whether the model is worth looking at: its loss has not run away.
    """
    if console.is_terminal and run.losses:
        yield Text(header(), "dim")
        for step in chosen_steps(range(1, run.steps + 1)):
            yield Text(row(step, run.losses[step - 1], digits))
    yield Text("")
    if run.losses:
        first = format_number(run.losses[0], digits)
        after = f" → {format_number(run.final_loss, digits)}" if good else ""
        yield Text.assemble(("loss  ", "bold"), curve(run.losses), f"  {first}{after}")
    yield from wrapped(_how(run), console, style="dim")
    if good:
        yield from [Text(""), *_afterwards(run, console)]


def _how(run: TrainingRun) -> str:
    sentences, optimiser = sum(len(words) > 1 for words in run.sentences), run.optimiser
    several = f"{sentences} sentences" if sentences != 1 else "1 sentence"
    steps = f"{run.steps} steps" if run.steps != 1 else "1 step"
    return f"{steps} of {optimiser.kind}, learning rate {optimiser.rate:g}, on {several}"


def _afterwards(run: TrainingRun, console: Console) -> Iterator[Text]:
    """What the trained model expects after each word of the sentence it is shown on."""
    trace = run_example(run.at(run.last.step))
    yield Text(f"What each position expects now ({CAME} stands at the word that comes)", "bold")
    yield from next_words(trace, console, 2)


def header() -> str:
    """The heading of the table."""
    return "  step  loss before it"


def row(step: int, loss: float, digits: Digits) -> str:
    """A row of the table."""
    return f"{step:6}  {format_number(loss, digits)}"


def chosen_steps(steps: Sequence[int]) -> list[int]:
    """The first step, and then every tenth part of them, the last included."""
    tenths = [steps[-(-len(steps) * part // ROWS) - 1] for part in range(1, ROWS + 1)] if steps else []
    return list(dict.fromkeys([*steps[:1], *tenths]))


def curve(losses: Sequence[float]) -> str:
    """The losses as blocks, from 0 to the largest; each block the mean of its share of the steps."""
    parts = np.array_split(np.asarray(losses), min(CURVE, len(losses)))
    means = np.array([part.mean() for part in parts])
    heights = np.ceil(means / (means.max() or 1) * len(HEIGHTS)).astype(int)
    return "".join(HEIGHTS[max(0, height - 1)] for height in heights.tolist())
