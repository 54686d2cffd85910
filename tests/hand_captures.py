"""Captures made by hand: of weights that are given, and of random numbers in any format. Sizes are distinct primes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clearhead.trace.capture.attention import Attention, Bias
from clearhead.trace.capture.below import Below, Norm, Projection
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.held import Widened
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.token import Token
from clearhead.trace.capture.visible import Named, Runs, Visible

NEVER = -1000.0
"""A score whose weight is 0 in float64, though the key may be seen."""


def tokens(ids: Sequence[int], special: Sequence[int] = (), padding: Sequence[int] = ()) -> tuple[Token, ...]:
    """Tokens with these numbers; some places are marks, some padding."""
    return tuple(
        Token(f"w{number}", number, None, None, at in special, at in padding) for at, number in enumerate(ids)
    )


def with_weights(
    heads: Any, words: Any, *, visible: Any = None, sink: Any = None, columns: Any = None, tower: str = ""
) -> Capture:
    """A capture of one layer whose weights are these.

    Args:
        heads: (heads, queries, keys) weights; each row adds up to 1, or with a sink to less.
        words: the tokens of the queries.
        visible: boolean (queries, keys); everything by default.
        sink: (heads,) the sinks' logits, which have to fit the weights.
        columns: the tokens of the keys, if they are another text.
        tower: the name of the tower.
    """
    table = np.asarray(heads, dtype=np.float64)
    queries, keys = table.shape[1:]
    # query i is the i-th unit vector, so that its score for key j is the i-th number of that key
    query = np.broadcast_to(np.eye(queries), (len(table), queries, queries))
    scores = np.log(table, out=np.full_like(table, NEVER), where=table > 0)
    seen = np.ones((queries, keys), dtype=bool) if visible is None else np.asarray(visible, dtype=bool)
    attention = Attention(
        query[None], scores.transpose(0, 2, 1)[None], np.ones((1, len(table), keys, 2)),
        np.zeros((1, queries, len(table), 2)), 1.0, Visible(((Runs.of_table(seen),),)), "by hand",
        sink=None if sink is None else np.asarray(sink, dtype=np.float64),
    )  # fmt: skip
    texts = {"text": (tuple(words),)} | ({} if columns is None else {"other": (tuple(columns),)})
    layer = Layer(tower, 0, "attention", attention, "", "text", "text" if columns is None else "other")
    return Capture((layer,), texts, {"model": "by hand"})


def random_capture(dtype: str = "float32", queries: int = 7, keys: int = 7, layers: int = 3) -> Capture:
    """Several layers with a mask in common, one with a bias and a sink, one that is no attention, in 2 sequences."""
    numbers = np.random.default_rng(queries)
    runs = Runs.of_table(np.tril(np.ones((queries, keys), dtype=bool)) & (np.arange(keys) != 2))
    shared = Visible(((runs,), (Named("causal", queries, keys),)))

    def held(*shape: int) -> Any:
        values = numbers.standard_normal(shape)
        if dtype == "bfloat16":
            return Widened((values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16))
        return values.astype(dtype)

    def attention(**more: Any) -> Attention:
        return Attention(
            held(2, 5, queries, 11), held(2, 1, keys, 11), held(2, 1, keys, 3), held(2, queries, 5, 3), 0.3, shared,
            "sdpa", **more,
        )  # fmt: skip

    bias = Bias(numbers.standard_normal((1, 5, 1, keys)), False, queries)
    special = {"soft_cap": 13.0, "bias": bias, "sink": numbers.standard_normal(5), "notes": ("a note",)}
    made = [Layer("", at, f"h.{at}", attention(), "", "text", "text") for at in range(layers)]
    made.append(Layer("", layers, f"h.{layers}", attention(**special), "", "text", "text"))
    made.append(Layer("", layers + 1, f"h.{layers + 1}", None, "Mixer, which is no softmax attention"))
    rows = (tokens(range(queries), special=[0]), tokens(range(queries), padding=[queries - 1]))
    about = {"model": "random", "text": ["one", "two ␣é"], "versions": {"numpy": "1"}, "dtype": dtype}
    words = (
        ({"id": 3, "text": " w", "probability": 0.1 + 0.2},),
        ({"id": 5, "text": "x", "probability": 0.25},),
    )
    return Capture(tuple(made), {"text": rows}, about, 4, words)


def random_below() -> Below:
    """Numbers around the heads of the first layer of `random_capture`, with all that a projection may have."""
    numbers = np.random.default_rng(11)
    hidden, weight = numbers.standard_normal((2, 7, 13)), numbers.standard_normal((13, 55)).astype(np.float32)
    columns = np.arange(55).reshape(5, 11)
    norm = Norm(np.ones((1, 11)), None, 1e-5, False)
    projections = {
        "Q": Projection(hidden, weight, numbers.standard_normal(55), columns, 0.5, norm, 4, "halves"),
        "K": Projection(hidden, weight, None, columns[:1]),
    }
    turns = numbers.standard_normal((2, 1, 7, 2))
    return Below(projections, *turns, W_O=None, why={"V": "It is not followed."})
