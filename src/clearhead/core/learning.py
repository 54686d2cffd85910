"""One step of training on plain arrays: the loss of some sentences, its gradients, and the updated parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

import numpy as np

from clearhead.core.attention import compute
from clearhead.core.backward import backward
from clearhead.core.optimise import Optimiser, update
from clearhead.core.parameters import axes_of
from clearhead.core.settings import Settings
from clearhead.core.tape import Tape
from clearhead.core.transformer import NO_TARGET, following, next_word_loss, transformer

Rows = tuple[int, ...]
Arrays = Mapping[str, np.ndarray]
Targets = Callable[[Rows], Rows]


def loss_of(
    parameters: Arrays, sentences: Sequence[Rows], settings: Settings, targets: Targets = following
) -> tuple[float, dict[str, np.ndarray]]:
    """The mean of −ln p over every next word of the sentences, and its gradient for every parameter.

    Sentences of one length are computed side by side, and no sentence is padded, so that any mask means the same here
    as in a single sentence. The mean is over words, not over sentences.

    Args:
        parameters: every array the model uses, by its full name; see `core.parameters`.
        sentences: the rows of E of their words; each of at least two words.
        settings: the switches.
        targets: gives the next words of a sentence, `NO_TARGET` for none.
    """
    total, words = 0.0, 0
    gradients = {name: np.zeros_like(values) for name, values in parameters.items()}
    for _, group in groupby(sorted(sentences, key=len), key=len):
        rows = tuple(group)
        wanted = tuple(targets(sentence) for sentence in rows)
        counted = sum(word != NO_TARGET for sentence in wanted for word in sentence)
        loss, parts = _of_one_length(parameters, rows, wanted, settings)
        total, words = total + counted * loss, words + counted
        for name, part in parts.items():
            gradients[name] += counted * part
    return total / words, {name: gradient / words for name, gradient in gradients.items()}


def _of_one_length(
    parameters: Arrays, rows: tuple[Rows, ...], targets: tuple[Rows, ...], settings: Settings
) -> tuple[float, dict[str, np.ndarray]]:
    tape = Tape()
    weights = {name: tape.given(name, axes_of(name), values) for name, values in parameters.items()}
    tempered, probabilities = transformer(tape, weights, rows, settings)
    loss = next_word_loss(tape, tempered, probabilities, targets)
    gradients = backward(tape, list(tape.values), loss)
    return float(loss.values), {name: gradients[name].values for name in weights if name in gradients}


def updated(
    parameters: Arrays, gradients: Arrays, memory: Arrays, optimiser: Optimiser, steps: int
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The parameters after one update, and what the optimiser remembers for the next.

    Args:
        parameters: by full name.
        gradients: by the same names.
        memory: what the step before left, by name ("E_velocity", "E_m", "E_v"); empty at first.
        optimiser: which update.
        steps: how many updates there were before this one.
    """
    after: dict[str, np.ndarray] = {}
    kept: dict[str, np.ndarray] = {}
    for name, values in parameters.items():
        remembered = {key: memory.get(key, np.zeros_like(values)) for key in optimiser.remembers(name)}
        result = update(compute, name, values, gradients[name], remembered, optimiser, steps)
        after[name] = result.pop(name)
        kept |= result
    return after, kept
