"""The whole transformer, from words to the next word and to the loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clearhead.core.attention import Step, batched
from clearhead.core.axes import MODEL, POSITION, VOCABULARY
from clearhead.core.block import block, norm
from clearhead.core.embedding import embed
from clearhead.core.names import scope, taken_apart
from clearhead.core.ops import Contract, Copy, CrossEntropy, MeanLoss, ScaleBy, Softmax
from clearhead.core.settings import Settings

NO_TARGET = -1
"""Stands for the next word of a position that has none."""


def transformer(
    step: Step, weights: Mapping[str, Any], rows: tuple[Any, ...], settings: Settings
) -> tuple[Any, Any]:
    """Embed, layer after layer, unembed: (tempered logits, probabilities of the next word), each (positions, words).

    Args:
        step: see `core.attention.Step`.
        weights: every given array by its name: E, P, W_U, gain_final, bias_final, and those of each layer (see
            `core.block.block`) as "W_Q" in a model of one layer and "layer0.W_Q", "layer1.W_Q" ... in others.
        rows: the row of E of each position; for a batch, one such tuple per sentence, all of one length.
        settings: the switches.
    """
    E, P, first = weights["E"], weights.get("P"), scope(0, settings.layers)
    X = embed(step, E, P, rows, settings, f"{first}X")
    for layer in range(settings.layers):
        here = scope(layer, settings.layers)
        if layer:
            X = step(f"{here}X", Copy((*batched(X), POSITION, MODEL)), X)
        X = block(within(step, here), X, _of_layer(weights, here), settings)
    return unembed(step, X, weights, settings)


def within(step: Step, here: str) -> Step:
    """The step, with the scope of a layer in front of every name: "Q" becomes "layer1.Q"."""
    return lambda name, operation, *inputs: step(here + name, operation, *inputs)


def _of_layer(weights: Mapping[str, Any], here: str) -> dict[str, Any]:
    return {
        bare: value
        for name, value in weights.items()
        for before, bare in [taken_apart(name)]
        if before == here
    }


def unembed(step: Step, hidden: Any, weights: Mapping[str, Any], settings: Settings) -> tuple[Any, Any]:
    """The last norm of a pre-norm model, then one logit per word: with W_U, or tied, with E (Press and Wolf 2017).

    The logits are divided by the temperature (Hinton et al. 2015, section 2) before the softmax.
    """
    batch = batched(hidden)
    axes, words = (*batch, POSITION, MODEL), (*batch, POSITION, VOCABULARY)
    if settings.norm != "none" and settings.norm_place == "pre":
        hidden = norm(step, "final_norm", hidden, weights, "final", settings)
    if "W_U" in weights:
        logits = step("logits", Contract(words, axes, (MODEL, VOCABULARY)), hidden, weights["W_U"])
    else:
        logits = step("logits", Contract(words, axes, (VOCABULARY, MODEL)), hidden, weights["E"])
    tempered = step("tempered", ScaleBy(words, settings.temperature, "temperature", divide=True), logits)
    return tempered, step("probabilities", Softmax(words), tempered)


def next_word_loss(step: Step, tempered: Any, probabilities: Any, targets: tuple[Any, ...]) -> Any:
    """−ln of the probability of the word that came next, averaged over the sentence: the cross-entropy.

    Args:
        step: see `core.attention.Step`.
        tempered: (positions, words), what the probabilities are the softmax of.
        probabilities: (positions, words).
        targets: for each position the row of E of the word that came next, `NO_TARGET` where none did.
    """
    axes = (*batched(tempered), POSITION)
    losses = step("losses", CrossEntropy(axes, targets), tempered, probabilities)
    return step("loss", MeanLoss((), targets), losses)


def following(rows: tuple[Any, ...]) -> tuple[Any, ...]:
    """The targets of a sentence, or of each sentence of a batch: the next word, and none for the last."""
    if isinstance(rows[0], tuple):
        return tuple(following(sentence) for sentence in rows)
    return (*rows[1:], NO_TARGET)
