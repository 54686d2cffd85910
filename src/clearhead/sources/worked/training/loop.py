"""The training loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from clearhead.core.optimise import Optimiser
from clearhead.sources.worked.config import Config
from clearhead.sources.worked.example import Example
from clearhead.sources.worked.matrices import ExampleError, count, whole
from clearhead.sources.worked.training.corpus import read_corpus, split
from clearhead.sources.worked.training.learner import Learner, OffCourse
from clearhead.sources.worked.training.run import Progress, TrainingRun
from clearhead.sources.worked.training.saved import Saver, load_run
from clearhead.sources.worked.training.threads import one_thread
from clearhead.sources.worked.training.watching import watched
from clearhead.trace.recording import SavingError

MOST_KEPT = 64 * 2**20
"""Bytes of parameters and optimiser's memory that a run keeps: every step if they fit, evenly chosen ones otherwise."""

Corpus = Iterable[str | Sequence[str]]


def train(
    model: Example | Config | str | Path,
    corpus: Corpus | None = None,
    *,
    steps: int = 100,
    optimiser: Optimiser | str = "adamw",
    learning_rate: float | None = None,
    batch: int | None = None,
    seed: int = 0,
    every: int | None = None,
    path: str | Path | None = None,
    progress: Progress | bool | None = None,
) -> TrainingRun:
    """Train a model on sentences, and keep what is needed to replay it.

    An interrupt (Ctrl-C), a divergence or a full disk ends the run early; what was reached is in the result, with the
    reason in `stopped`, and `resume` goes on from there with the numbers an uninterrupted run would have had.

    Args:
        model: an example, its name or path, or the `Config` of a model that begins with random numbers.
        corpus: sentences, as lists of words or text split at spaces; None: the example's own sentence.
        steps: how many updates.
        optimiser: "sgd", "momentum" or "adamw" with their usual settings, or an `Optimiser`.
        learning_rate: of an optimiser given by name; None: 0.1 for sgd, 0.05 for momentum, 0.01 for adamw.
        batch: how many sentences each step takes, drawn with `seed`; None: all.
        seed: of the drawing.
        every: keep the model at every so many steps; None: at all, or as many as fit `MOST_KEPT`; at most a hundred of
            them if they are saved.
        path: a new or empty folder to save to while training; see `TrainingRun.save`.
        progress: a function that is told after every step how many are done and the loss before the last; True: a bar
            with the loss; False: nothing; None: a bar in a terminal or a notebook.

    Raises:
        ExampleError: a model that does not go on to the next word, an empty corpus, a word without a row of E, or a
            number that cannot be; the message names the field.
        RecordingError: the folder holds something already.
        SavingError: the folder cannot be made.
    """
    sentences = None if corpus is None else split(corpus)  # once, since a generator gives them only once
    example = _example(model, sentences)
    run = _prepared(example, sentences, optimiser, learning_rate, batch)
    steps, seed = whole("steps", steps, 0), whole("seed", seed, 0)
    run.snapshots[0] = Learner.begin(example.used_parameters, seed)
    every = _spacing(run, steps, path is not None) if every is None else whole("every", every, 1)
    return _advance(run, steps, every, None if path is None else Saver.begin(run, path), progress)


def resume(
    run: TrainingRun | str | Path,
    steps: int,
    *,
    every: int | None = None,
    progress: Progress | bool | None = None,
) -> TrainingRun:
    """Go on with a run, from where it ended, until it has had `steps` updates in all.

    Every number is, bit for bit, what it would have been without the interruption.

    Args:
        run: what `train` gave, or the folder it was saved to; then what is added is saved there as well.
        steps: how many updates in all.
        every: see `train`.
        progress: see `train`.

    Raises:
        RecordingError: the folder holds no run that can be read.
        ExampleError: a number that cannot be.
    """
    saver = None
    if not isinstance(run, TrainingRun):
        saver = Saver.open(run)
        run = load_run(run)
    steps = whole("steps", steps, 0)
    every = _spacing(run, steps, saver is not None) if every is None else whole("every", every, 1)
    return _advance(run, steps, every, saver, progress)


def _advance(
    run: TrainingRun, steps: int, every: int, saver: Saver | None, progress: Progress | bool | None
) -> TrainingRun:
    """Bring a run up to `steps`; whatever ends the loop, what was reached is kept, and saved.

    A model is kept only when its own loss is known to be good, which is in the step after it was made.
    """
    good = learner = run.last
    recipe, run.stopped = run.recipe, None
    try:
        with one_thread(), watched(progress, steps) as tell:
            while learner.step < steps:
                after, loss = learner.advance(recipe)
                run.losses.append(loss)
                good, learner = learner, after
                if good.step % every == 0:
                    _keep(run, good, saver)
                tell(learner.step, loss)
            learner.check(recipe)
            good = learner
    except OffCourse as problem:
        good = good if problem.good < learner.step else learner
        run.stopped = f"Training stopped: {problem}. The model after step {good.step} is the last good one."
    except KeyboardInterrupt:
        good = learner
        run.stopped = f"Training was interrupted after step {learner.step}."
    except SavingError as problem:
        good, saver = learner, None
        run.stopped = f"Training stopped after step {learner.step}: {problem}"
    del run.losses[good.step :]  # an interrupt may also fall between a loss and its step
    try:
        _keep_the_end(run, good, saver)
    except KeyboardInterrupt:  # there is nothing left to train; saving is short, and is begun again
        run.stopped = run.stopped or f"Training was interrupted after step {good.step}."
        _keep_the_end(run, good, saver)
    return run


def _keep_the_end(run: TrainingRun, learner: Learner, saver: Saver | None) -> None:
    try:
        _keep(run, learner, saver)
    except SavingError as problem:
        run.stopped = run.stopped or f"The end of the training could not be saved: {problem}"


def _keep(run: TrainingRun, learner: Learner, saver: Saver | None) -> None:
    run.snapshots[learner.step] = learner
    if saver is not None:
        saver.save(run, learner)


def _example(model: Any, sentences: list[list[str]] | None) -> Example:
    """The model to begin with."""
    if isinstance(model, Config):
        if sentences is None:
            raise ExampleError("corpus", "is missing; expected sentences, since a Config has none of its own")
        sentences = [sentence for sentence in sentences if sentence]
        if not sentences:
            raise ExampleError("corpus", "has no words; expected sentences")
        return model.begin((word for sentence in sentences for word in sentence), sentences[0])
    if not isinstance(model, Example):
        from clearhead.sources.worked.files import load_example  # its parsers are needed by few runs

        model = load_example(model)
    return model


def _prepared(
    example: Example, sentences: list[list[str]] | None, optimiser: Any, learning_rate: Any, batch: Any
) -> TrainingRun:
    """The run before its first step."""
    if not example.settings.predicts:
        raise ExampleError(
            "predict", "this example ends at the output of attention; expected a model that goes on to the next word, "
            "since its loss is what is trained on"
        )  # fmt: skip
    sentences = [list(example.tokens)] if sentences is None else sentences
    read_corpus(sentences, example.vocabulary)
    _refuse_long(example, sentences)
    batch = None if batch is None else whole("batch", batch, 1)
    return TrainingRun(example, _optimiser(optimiser, learning_rate), sentences, batch)


def _refuse_long(example: Example, sentences: Sequence[Sequence[str]]) -> None:
    """Learned positions end with the last row of P."""
    for number, words in enumerate(sentences):
        if example.P is not None and example.positions == "learned" and len(words) > len(example.P):
            raise ExampleError(
                f"corpus, sentence {number}",
                f"it has {len(words)} words, but P has {count(len(example.P), 'row')}; expected one for each position",
            )


def _optimiser(optimiser: Any, learning_rate: Any) -> Optimiser:
    if not isinstance(optimiser, Optimiser):
        try:
            return Optimiser(optimiser, learning_rate)
        except ValueError as problem:
            field, _, said = str(problem).partition(": ")
            raise ExampleError(field, said) from None
    if learning_rate is not None:
        raise ExampleError(
            "learning_rate", "is part of the Optimiser that was given; expected only one of them"
        )
    return optimiser


def _spacing(run: TrainingRun, steps: int, saved: bool) -> int:
    """Every how many steps the model is kept, with all that the optimiser remembers: at most twice as much again."""
    size = 3 * sum(values.nbytes for values in run.last.parameters.values())
    return max(1, -(-steps * size // MOST_KEPT), -(-steps // 100) if saved else 1)
