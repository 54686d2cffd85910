"""`clearhead train`: the training loop, watched."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from clearhead.sources.worked.files import DEFAULT_EXAMPLE
from clearhead.surfaces.cli import options
from clearhead.surfaces.cli.failing import fail, one_sentence
from clearhead.surfaces.cli.groups import NONE_GIVEN, Given, Group, grouped
from clearhead.surfaces.cli.options import digits_of
from clearhead.surfaces.cli.output import make_console, print_lines, silence_output

INTERRUPTED = 130
"""The exit code after Ctrl-C, as of any program that a terminal interrupts (128 and the number of the signal)."""

MODEL = "An example to begin with, or with --config the corpus."
CORPUS = "A text file, one sentence a line, words apart. Default: the example's own sentence."
CONFIG = "Begin with random numbers: sizes and switches, such as 'd_model=16 heads=2 layers=2'."


Training = Annotated[
    Given,
    Group(
        optimiser=options.Kind,
        learning_rate=options.LearningRate,
        batch=Annotated[
            int | None, typer.Option("--batch", min=1, help="Sentences each step takes. Default: all.")
        ],
        seed=Annotated[int | None, typer.Option("--seed", min=0, help="Of the drawing of batches.")],
        every=Annotated[
            int | None, typer.Option("--every", min=1, help="Keep the model at every so many steps.")
        ],
    ),
]
"""How it is trained, as a run keeps it."""


@grouped
def train(
    model: Annotated[str | None, typer.Argument(help=MODEL, show_default=DEFAULT_EXAMPLE)] = None,
    corpus: Annotated[str | None, typer.Argument(help=CORPUS)] = None,
    config: Annotated[str | None, typer.Option("--config", help=CONFIG)] = None,
    steps: Annotated[int, typer.Option("--steps", min=0, help="How many updates, from the beginning.")] = 100,
    given: Training = NONE_GIVEN,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FOLDER", help="Where to keep the run.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in FOLDER until it has had --steps updates.")
    ] = False,
    digits: options.DigitsShown = "4",
) -> None:
    """Train a model on sentences until it says what comes next, and watch the loss.

    The model is an example, with the numbers it has, or with --config
    one that begins with random numbers; then the only argument is the
    corpus. Default: the first example on its own sentence, with AdamW.

    Ctrl-C ends it after the step at hand. With -o the run is kept in a
    folder, whatever ends it, and --resume goes on with the same numbers
    as if it had not stopped. Exit code: 1 if the loss ran away, 130
    after Ctrl-C.
    """
    _check_usage(model, corpus, config, output, resume, given)
    # Only here: the other commands train nothing, and `--help` should not wait for it.
    from clearhead.sources.worked.training.loop import resume as go_on
    from clearhead.surfaces.cli.learning import Interrupts, start
    from clearhead.surfaces.cli.losses import training_lines
    from clearhead.surfaces.cli.progress import shown_progress
    from clearhead.trace.recording import SavingError

    console, interrupts = make_console(), Interrupts()

    def progress(step: int, loss: float) -> None:
        try:
            tell(step, loss)
        except BrokenPipeError:  # whoever reads has left; what was reached is kept
            silence_output()
            interrupts.asked = True
        interrupts.heed()

    with one_sentence(), interrupts, shown_progress(console, steps, digits_of(digits)) as tell:
        try:
            if resume:
                run = go_on(str(output), steps, progress=progress)
            else:
                run = start(model, corpus, config, steps=steps, path=output, progress=progress, **given)
        except SavingError as error:
            fail(str(error))
    with one_sentence():
        good = run.stopped is None or interrupts.heeded
        lines = list(training_lines(run, console, digits_of(digits), good))
    print_lines(console, lines)
    if output is not None:
        typer.echo(f"\n{_kept(output, run.last.step)}")
    _say_how_it_ended(run.stopped, interrupts.heeded, output, steps)


def _check_usage(
    model: str | None,
    corpus: str | None,
    config: str | None,
    output: str | None,
    resume: bool,
    given: Given,
) -> None:
    """What cannot be meant together."""
    if resume and output is None:
        raise typer.BadParameter("--resume needs the folder of the run: --resume -o FOLDER.")
    if resume and (model or config or given):
        raise typer.BadParameter(
            "--resume goes on with what the run began with; expected only -o and --steps."
        )
    if config is not None and corpus is not None:
        raise typer.BadParameter("--config is the model; expected only the corpus beside it.")


def _kept(folder: str, reached: int) -> str:
    """Where the run is, and how much of it: a full disk, or a folder that is gone, leaves less than was trained."""
    from clearhead.trace.recording import Recording, RecordingError

    try:
        newest = Recording.open(folder).steps[-1]
    except (RecordingError, IndexError):
        return f"Nothing of it is left in {Path(folder)}"
    return f"Kept in {Path(folder)}" + ("" if newest == reached else f", up to step {newest}")


def _say_how_it_ended(stopped: str | None, interrupted: bool, output: str | None, steps: int) -> None:
    """If it ended early, that, how to go on, and an exit code that is not 0."""
    again = f"clearhead train --resume -o {shlex.quote(output or '')} --steps"
    if stopped is None:
        return
    if not interrupted:
        fail(stopped)
    later = f"Go on with: {again} {steps}" if output else "Nothing was kept; with -o FOLDER it could go on."
    typer.echo(f"clearhead: {stopped} {later}", err=True)
    raise typer.Exit(INTERRUPTED)
