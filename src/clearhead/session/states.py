"""From a person's state to the model it stands for: an example, their changes, and so many steps of training."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from clearhead.core.optimise import RATES, Optimiser
from clearhead.session.remembered import Remembered
from clearhead.session.view import table, text, whole
from clearhead.sources.worked import Example, ExampleError, run
from clearhead.sources.worked.edits import example_of
from clearhead.sources.worked.files import STUDY, load_example, shipped_names
from clearhead.sources.worked.study.example import study_example
from clearhead.sources.worked.training.loop import train
from clearhead.sources.worked.training.run import TrainingRun
from clearhead.trace.trace import Trace

MOST_WORDS = 64
"""Words a walkthrough takes: with more, a page of full matrices is no longer readable. `clearhead.run` has no limit."""

MOST_STEPS = 2000
"""Steps of training a page can ask for; `clearhead.train` has no limit."""

MOST_STUDIED = 1_000_000
"""The largest step that a state may name of the study model's own training; only some of them were kept."""

RUNS_KEPT = 4
"""Trainings that are remembered so that moving through one does not train it again."""

LOOPS_KEPT = 8
"""Traces that are remembered: the picture before, which the next is compared with, and those whose cells are opened."""

UNTRAINED = Optimiser("sgd", 0.1)
"""What the update is shown with where no training was asked for."""


class States:
    """The models that states stand for. What it remembers only saves time: anything can be computed again."""

    def __init__(self, extra_examples: Mapping[str, Example]) -> None:
        self._extra = dict(extra_examples)
        self.runs: dict[str, TrainingRun] = {}
        """Trainings that there are already, by the names of their examples."""
        self._runs: Remembered[TrainingRun] = Remembered(RUNS_KEPT)
        self._loops: Remembered[Trace] = Remembered(LOOPS_KEPT)

    @property
    def names(self) -> tuple[str, ...]:
        """The examples there are: a person's own first."""
        return tuple(dict.fromkeys((*self._extra, *shipped_names())))

    def named(self, name: str) -> Example:
        """The example of that name; never a path: a page must not read files."""
        if name in self._extra:
            return self._extra[name]
        if name not in self.names:
            raise ExampleError(
                "example", f"no example is named {name!r}; expected one of {', '.join(self.names)}"
            )
        return load_example(name)

    def example(self, message: Mapping[str, Any], key: str = "state") -> Example:
        """The example with the person's changes, after the training that the state asks for."""
        state = state_of(message, key)
        most = self._most_steps(state) if "training" in state else MOST_STUDIED
        step = whole(state, "step", 0, most) if "step" in state else 0
        if step == 0 or "training" not in state:
            return self._untrained(state)
        training = self.training(state)
        return training.at(training.nearest(step))

    def _untrained(self, state: Mapping[str, Any]) -> Example:
        given = {name: value for name, value in state.items() if name not in ("training", "step")}
        base = self.named(text(state, "example"))
        if base.name == STUDY and "step" in state and "training" not in state:
            base = study_example(state["step"])
        example = example_of(given, base)
        if len(example.tokens) > MOST_WORDS:
            raise ExampleError(
                "tokens", f"the sentence has {len(example.tokens)} words; the walkthrough takes up to {MOST_WORDS} "
                "(clearhead.run in Python has no limit)"
            )  # fmt: skip
        return example

    def training(self, state: Mapping[str, Any]) -> TrainingRun:
        """The training that a state asks for, done or remembered."""
        optimiser, steps = plan(state, self._most_steps(state))
        given = self.runs.get(state.get("example", ""))
        if given is not None and (given.optimiser.kind, given.optimiser.rate, given.steps) == (
            optimiser.kind, optimiser.rate, steps,
        ):  # fmt: skip
            return given
        start = self._untrained(state)
        key = _key({name: value for name, value in state.items() if name != "step"})
        return self._runs.of(key, lambda: train(start, steps=steps, optimiser=optimiser, progress=False))

    def _most_steps(self, state: Mapping[str, Any]) -> int:
        """How many steps may be asked for: of a training that is there already all that it has."""
        given = self.runs.get(state.get("example", ""))
        return MOST_STEPS if given is None else max(MOST_STEPS, given.steps)

    def loop(self, message: Mapping[str, Any], key: str = "state") -> Trace:
        """Forwards, backwards and the update that would come next: all of the main line."""
        state = state_of(message, key)
        return self._loops.of(_key(state), lambda: self._loop(message, key))

    def _loop(self, message: Mapping[str, Any], key: str) -> Trace:
        trace, state = run(self.example(message, key)), state_of(message, key)
        if "loss" not in trace:
            return trace
        if "training" not in state:
            return trace.backward().update(UNTRAINED)
        training = self.training(state)
        step = training.nearest(state.get("step", 0))
        return trace.backward().update(training.optimiser, training.snapshots[step].memory, step)


def _key(state: Mapping[str, Any]) -> str:
    """The same text for states that mean the same."""
    try:
        return json.dumps(state, sort_keys=True)
    except (TypeError, ValueError):  # no JSON, so no state: what reads it will say so
        return repr(state)


def state_of(message: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The state that a message carries."""
    state = message.get(key)
    if not isinstance(state, Mapping):
        raise ExampleError(key, f"expected an object, got {state!r}")
    return state


def plan(state: Mapping[str, Any], most: int) -> tuple[Optimiser, int]:
    """The state's `training`, checked; of at most so many steps."""
    wanted = table(state, "training", ("optimizer", "learning_rate", "steps"))
    if wanted["optimizer"] not in tuple(RATES):
        raise ExampleError(
            "optimizer", f"{wanted['optimizer']!r} is not known; expected one of {', '.join(RATES)}"
        )
    steps = whole(wanted, "steps", 1, most)
    try:
        return Optimiser(wanted["optimizer"], wanted["learning_rate"] or 0), steps
    except ValueError as problem:
        raise ExampleError("learning_rate", str(problem).removeprefix("learning_rate: ")) from None
