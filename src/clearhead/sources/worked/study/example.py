"""The study model as an example: everything that can be done with one made by hand can be done with it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from clearhead.sources.worked.example import SWITCHES, Example
from clearhead.sources.worked.matrices import ExampleError
from clearhead.sources.worked.study.model import load
from clearhead.sources.worked.study.words import START, VOCABULARY

NAME = "study"
SENTENCE = ("the", "man", "saw", "the", "woman", "and", "he", "works", ".")
TITLE = "The study model: trained, not made by hand"
LOOK_FOR = (
    "In layer 0, head 1 takes he back past the nearer woman to man, and so works comes next: a man works. Nobody put "
    "that there; it was learned from sentences."
)


@cache
def study_example(step: int | None = None) -> Example:
    """The study model on one of the sentences of its language.

    Args:
        step: how many updates of its training it has had, one of those that were kept; None: all.

    Raises:
        ExampleError: the model was not kept after that many updates.
    """
    try:
        model = load(step)
    except ValueError as problem:
        raise ExampleError("step", str(problem)) from None
    parameters = {name: np.asarray(values, dtype=np.float64) for name, values in model.parameters.items()}
    switches = {name: model.config[name] for name in SWITCHES if name in model.config}
    return Example.of_parameters(
        parameters, tokens=with_start(SENTENCE), vocabulary=VOCABULARY, layers=model.config["layers"], title=TITLE,
        look_for=LOOK_FOR, name=NAME, **switches,
    )  # fmt: skip


def with_start(words: Sequence[str]) -> tuple[str, ...]:
    """The words with what stands in front of every sentence of the language."""
    return (START, *words)
