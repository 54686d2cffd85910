"""Running an example: the whole layer, with every quantity and every recipe kept."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from clearhead.core import asides
from clearhead.core.attention import attention, embed
from clearhead.core.axes import JOINED, MODEL, POSITION, VOCABULARY
from clearhead.core.ops import Masked
from clearhead.sources.worked.example import Example
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Recorder, Trace

if TYPE_CHECKING:
    from pathlib import Path

AXES = {
    "E": (VOCABULARY, MODEL),
    "P": (POSITION, MODEL),
    "W_Q": (MODEL, JOINED),
    "W_K": (MODEL, JOINED),
    "W_V": (MODEL, JOINED),
    "W_O": (JOINED, MODEL),
}


def run(example: Example | str | Path, **variation: Any) -> Trace:
    """Compute one attention layer on the example's sentence, keeping every step.

    Args:
        example: what to run: an example, or the name or path of one (see `clearhead.load`).
        variation: fields to change for this run, for example mask="causal", scale=False, heads=2, positions="none".

    Returns:
        A trace whose quantities are, in order: E, embeddings, embeddings_scaled, positions, X, then XW_Q, Q (and the
        same for K and V), scores, scaled, masked, weights, mixed, joined, output, and the weight matrices. Rotary
        positions add Q_rotated and K_rotated, ALiBi adds bias and biased.

    Raises:
        ExampleError: the variation does not fit the example.
        OverflowError: a number grows beyond float64; the message names the cell.
    """
    if not isinstance(example, Example):
        from clearhead.sources.worked.files import load_example  # its parsers are needed by few runs

        example = load_example(example)
    example = example.vary(**variation) if variation else example
    step = Recorder()
    E = _given(step, "E", np.array(list(example.E.values())))
    P = _given(step, "P", example.P if example.positions == "learned" else None)
    W_Q, W_K, W_V, W_O = (_given(step, name, getattr(example, name)) for name in ("W_Q", "W_K", "W_V", "W_O"))
    row_of = {word: row for row, word in enumerate(example.vocabulary)}
    X = embed(step, E, P, tuple(row_of[token] for token in example.tokens), example.settings)
    attention(step, X, W_Q, W_K, W_V, W_O, example.settings)
    return Trace(step.quantities, example.tokens, example.vocabulary, _provenance(example))


def _given(step: Recorder, name: str, values: np.ndarray | None) -> Quantity | None:
    return None if values is None else step.given(name, AXES[name], values)


def _provenance(example: Example) -> dict[str, Any]:
    return {
        "source": "example",
        "name": example.name,
        "title": example.title,
        "settings": asdict(example.settings),
    }


def with_asides(trace: Trace) -> Trace:
    """The trace of an example with the two questions beside the main line answered: see `core.asides`.

    An aside squares numbers and can overflow where the layer itself does not. It is then left out, and the sentence
    that says why is in `provenance["left_out"]`: the main line must not fail for it.
    """
    quantities, left_out = list(trace.values()), []
    for aside in (_scaling, _contribution):
        step = Recorder()
        try:
            aside(step, trace)
        except OverflowError as error:
            left_out.append(f"A comparison beside the main line is left out: {error}.")
        else:
            quantities += step.quantities
    return Trace(quantities, trace.tokens, trace.vocabulary, trace.provenance | {"left_out": left_out})


def _scaling(step: Recorder, trace: Trace) -> None:
    masked = trace["masked"].operation
    assert isinstance(masked, Masked)
    asides.scaling(step, trace["scores"], trace.get("bias"), masked, trace["Q"].shape[-1])


def _contribution(step: Recorder, trace: Trace) -> None:
    asides.contribution(step, trace["weights"], trace["V"], trace.get("W_O"), trace["output"])
