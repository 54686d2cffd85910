"""The study model captured like any other model: every head of it on a sentence, with nothing else installed."""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from itertools import chain
from typing import Any

import numpy as np

from clearhead.core.settings import Settings
from clearhead.core.transformer import transformer
from clearhead.sources.worked.matrices import ExampleError, shown
from clearhead.sources.worked.study.changing import Arrays, Changing, check_changes, weights_set
from clearhead.sources.worked.study.model import NUMBERS, Model, load
from clearhead.sources.worked.study.words import START, VOCABULARY
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.below import PARTS, Below, Projection
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.change import Change
from clearhead.trace.capture.failing import refuse_empty
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.token import Token
from clearhead.trace.capture.visible import Named, Visible

KERNEL = "Clearhead's own"
TEXT = "text"
"""What the sequence of words is called in a capture."""

MOST_LIKELY = 10
"""Next words that are kept, the likeliest first."""

MATRICES = ("W_Q", "W_K", "W_V", "W_O")

WORDS = re.compile(rf"{re.escape(START)}|[^\s.,!]+|[.,!]")
"""A sentence may be written as usual, with its full stop at the last word."""


def capture_study(text: str, generate: int = 0, changes: Sequence[Change] = ()) -> Capture:
    """Every head of the study model on a sentence of its language, or on any other row of its words.

    Args:
        text: words of the language; `START` is put in front if it is not there.
        generate: how many words the model then goes on by itself, always with the likeliest. As in every model the last
            one is said and not read. It stops early where it has no positions left.
        changes: what its attention is to do otherwise.

    Raises:
        CaptureError: the text is empty.
        ExampleError: a word is not in its vocabulary, there are more words than it has positions, or a change names
            what is not there.
    """
    model = load()
    most = len(model.parameters["P"])
    tokens = study_tokens(text, most)
    prompt = len(tokens)
    check_changes(changes, model, most)
    tokens, made, probabilities = _gone_on(model, tokens, generate, changes)
    check_changes(changes, model, len(tokens))
    layers = [_layer(model, number, made, changes) for number in range(model.config["layers"])]
    before = capture_study(text, generate).next_words if changes else ()
    return Capture(
        tuple(layers), {TEXT: (tokens,)}, _provenance(model, text), prompt if generate else None,
        (_likeliest(probabilities[-1]),), tuple(changes), before,
    )  # fmt: skip


def _gone_on(
    model: Model, tokens: tuple[Token, ...], generate: int, changes: Sequence[Change]
) -> tuple[tuple[Token, ...], Arrays, np.ndarray]:
    """The words with those that the model says itself, and the last run's arrays and probabilities."""
    made, probabilities = _forward(model, tokens, changes)
    for _ in range(min(generate - 1, len(model.parameters["P"]) - len(tokens))):
        said = int(probabilities[-1].argmax())
        tokens = (*tokens, Token(VOCABULARY[said], said, None, None))
        made, probabilities = _forward(model, tokens, changes)
    return tokens, made, probabilities


def study_tokens(text: str, most: int) -> tuple[Token, ...]:
    """The words of a text with their places, `START` in front.

    Raises:
        CaptureError, ExampleError: see `capture_study`.
    """
    refuse_empty(text)
    found = list(WORDS.finditer(text))
    for one in found:
        if one[0] not in NUMBERS:
            raise ExampleError(
                "text",
                f"the study model does not know the word {shown(one[0])}; it knows {len(VOCABULARY)} words, "
                f"such as {', '.join(VOCABULARY[4:10])}",
            )
    tokens = [Token(one[0], NUMBERS[one[0]], one.start(), one.end(), one[0] == START) for one in found]
    if not found or found[0][0] != START:
        tokens.insert(0, Token(START, NUMBERS[START], None, None, special=True))
    if len(tokens) > most:
        raise ExampleError(
            "text", f"the text has {len(tokens)} words with {START}; the study model has positions for {most}"
        )
    return tuple(tokens)


def _forward(model: Model, tokens: tuple[Token, ...], changes: Sequence[Change]) -> tuple[Arrays, np.ndarray]:
    """Everything the model computes of the words, by name, and the probabilities of the word after each."""
    step = Changing(tuple(changes))
    weights = {name: values.astype(np.float64) for name, values in model.parameters.items()}
    rows = tuple(token.id for token in tokens)
    _, probabilities = transformer(step, weights, rows, Settings(**model.config))
    return step.made, probabilities


def _layer(model: Model, number: int, made: Arrays, changes: Sequence[Change]) -> Layer:
    """One layer, as its own steps left it."""
    query, key, value, mixed = (made[f"layer{number}.{name}"][None] for name in ("Q", "K", "V", "mixed"))
    heads, length = query.shape[1:3]
    here = [change for change in changes if change.layer in (None, number)]
    kinds = {change.kind for change in here}
    mask = Named("none" if "mask" in kinds else model.config["mask"], length, length)
    off = (range(heads) if one.head is None else (one.head,) for one in here if one.kind == "off")
    attention = Attention(
        query, key, value, mixed.transpose(0, 2, 1, 3), 1.0 if "scale" in kinds else query.shape[3] ** -0.5,
        Visible(((mask,),)), KERNEL, notes=tuple(f"changed: {change}" for change in here),
        off=tuple(sorted(set(chain(*off)))), weights_set=tuple(weights_set(here)),
    )  # fmt: skip
    beneath = partial(_beneath, model, number, made[f"layer{number}.X_norm"][None])
    return Layer("", number, f"layer{number}", attention, rows=TEXT, columns=TEXT, beneath=beneath)


def _beneath(model: Model, number: int, hidden: np.ndarray) -> Below:
    """The way from the layer's normed input to Q, K and V, and the matrix that the mixed values go through."""
    weights = {name: model.parameters[f"layer{number}.{name}"].astype(np.float64) for name in MATRICES}
    heads = model.config["heads"]
    projections = {
        part: Projection(hidden, weights[f"W_{part}"], None, _columns(weights[f"W_{part}"], heads))
        for part in PARTS
    }
    return Below(projections, W_O=weights["W_O"])


def _columns(weight: np.ndarray, heads: int) -> np.ndarray:
    """(heads, width) the columns of each head, side by side."""
    return np.arange(weight.shape[1]).reshape(heads, -1)


def _likeliest(probabilities: np.ndarray) -> tuple[dict[str, Any], ...]:
    order = np.argsort(-probabilities, kind="stable")[:MOST_LIKELY]
    return tuple(
        {"id": int(word), "text": VOCABULARY[word], "probability": float(probabilities[word])}
        for word in order
    )


def _provenance(model: Model, text: str) -> dict[str, Any]:
    return {
        "model": "study", "class": "the study model", "type": "study", "dtype": "float64", "device": "cpu",
        "training": False, "text": text, "notes": [],
        "versions": {"clearhead": version("clearhead"), "numpy": np.__version__, "python": platform.python_version()},
    }  # fmt: skip
