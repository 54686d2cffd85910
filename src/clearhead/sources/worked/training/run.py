"""A training run: the losses, and the model as it was at any recorded step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clearhead.core.learning import loss_of
from clearhead.core.optimise import Optimiser
from clearhead.sources.worked.example import Example
from clearhead.sources.worked.matrices import count
from clearhead.sources.worked.run import run
from clearhead.sources.worked.training.corpus import read_corpus
from clearhead.sources.worked.training.learner import Learner, Recipe
from clearhead.trace.shown import Shown
from clearhead.trace.trace import Trace

if TYPE_CHECKING:
    from pathlib import Path

Progress = Callable[[int, float], None]
"""Told after every step: how many steps are done, and the loss before the last."""


@dataclass
class TrainingRun(Shown):
    """What `clearhead.train` gives back: everything that is needed to replay a training, or to go on with it.

    Attributes:
        start: the model before the first step.
        optimiser: what it is trained with.
        sentences: what it is trained on, as lists of words.
        batch: how many sentences each step takes; None: all.
        losses: the loss before each update, in step order; natural-log units, averaged over the words of that step. The
            loss after the last update is `final_loss`.
        snapshots: the model at the recorded steps, in order; 0 is the start, the last one is where the run ended.
        stopped: why the run ended before its time, in one sentence; None if it did not.
    """

    start: Example
    optimiser: Optimiser
    sentences: Sequence[Sequence[str]]
    batch: int | None = None
    losses: list[float] = field(default_factory=list)
    snapshots: dict[int, Learner] = field(default_factory=dict)
    stopped: str | None = None
    _final: tuple[Learner, float] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def recipe(self) -> Recipe:
        """How each step is made."""
        rows = read_corpus(self.sentences, self.start.vocabulary)
        return Recipe(self.start.settings, rows, self.optimiser, self.batch)

    @property
    def steps(self) -> int:
        """How many updates were made."""
        return len(self.losses)

    @property
    def recorded(self) -> list[int]:
        """The steps at which the model was kept, in order."""
        return sorted(self.snapshots)

    @property
    def last(self) -> Learner:
        """The model where the run ended."""
        return self.snapshots[self.recorded[-1]]

    @property
    def final_loss(self) -> float:
        """The loss after the last update, where the run ended: that of the last model on all of the sentences.

        This is what a run came to, on the page, in its curve and in its `repr`; `losses[-1]` is the loss before it.
        """
        if self._final is None or self._final[0] is not self.last:
            recipe = self.recipe
            self._final = self.last, loss_of(self.last.parameters, recipe.sentences, recipe.settings)[0]
        return self._final[1]

    def nearest(self, step: int) -> int:
        """The last recorded step that is not after `step`."""
        return max(recorded for recorded in self.snapshots if recorded <= max(step, 0))

    def at(self, step: int) -> Example:
        """The model after `step` updates.

        Raises:
            KeyError: that step was not recorded; the message says which were near.
        """
        if step not in self.snapshots:
            near = sorted(self.recorded, key=lambda recorded: abs(recorded - step))[:3]
            raise KeyError(
                f"step {step} was not recorded; the nearest that were: {', '.join(map(str, sorted(near)))}"
            )
        return self.start.with_parameters(self.snapshots[step].parameters)

    def trace(self, step: int, tokens: Sequence[str] | None = None) -> Trace:
        """One sentence through the model after `step` updates, with every gradient and the update that would follow.

        Args:
            step: one of `recorded`.
            tokens: the sentence, as words or as text split at spaces; None: the one the model is shown on. The
                gradients are those of this sentence alone.

        Raises:
            KeyError: that step was not recorded; the message says which were near.
            ExampleError: a word without a row of E.
        """
        example = self.at(step)
        words = tokens.split() if isinstance(tokens, str) else tokens
        trace = run(example if words is None else example.vary(tokens=words))
        if "loss" not in trace:
            return trace
        return trace.backward().update(self.optimiser, self.snapshots[step].memory, step)

    def save(self, path: str | Path) -> None:
        """Write the run to a new or empty folder; `clearhead.load_run` reads it back, `clearhead.resume` goes on.

        Raises:
            RecordingError: the folder holds something already.
            SavingError: it cannot be written; the run in memory is as it was.
        """
        from clearhead.sources.worked.training.saved import save_run  # saving stands above runs

        save_run(self, path)

    def __repr__(self) -> str:
        """How far it came, in one line: the loss before the first update, and after the last."""
        ends = f", loss {self.losses[0]:.4g} to {self.final_loss:.4g}" if self.losses else ""
        return f"TrainingRun of {count(self.steps, 'step')}{ends}, {len(self.snapshots)} recorded"
