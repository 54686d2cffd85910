"""Running an example: the whole model, with every quantity and every recipe kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from clearhead.core import asides
from clearhead.core.attention import Step, attention
from clearhead.core.embedding import embed
from clearhead.core.names import scope
from clearhead.core.ops import Masked
from clearhead.core.parameters import axes_of
from clearhead.core.transformer import following, next_word_loss, transformer, within
from clearhead.sources.worked.example import Example
from clearhead.trace.trace import Recorder, Trace

if TYPE_CHECKING:
    from pathlib import Path


def run(example: Example | str | Path, **variation: Any) -> Trace:
    """Compute the example's model on its sentence, keeping every step.

    Args:
        example: what to run: an example, or the name or path of one (see `clearhead.load`).
        variation: fields to change for this run, for example mask="causal", scale=False, heads=2, positions="none".

    Returns:
        A trace whose quantities are, in order: E, embeddings, embeddings_scaled, positions, X, then XW_Q, Q (and the
        same for K and V), scores, scaled, masked, weights, mixed, joined, output, and the weight matrices. Rotary
        positions add Q_rotated and K_rotated, ALiBi adds bias and biased. A model that goes on to the next word
        (`Example.predict`) adds residual, norm, ffn_in, ffn_act, ffn_out, hidden, logits, tempered, probabilities and,
        from two words on, losses and loss; of several layers, each has its quantities as "layer0.Q", "layer1.Q" ...

    Raises:
        ExampleError: the variation does not fit the example.
        OverflowError: a number grows beyond float64; the message names the cell.
    """
    if not isinstance(example, Example):
        from clearhead.sources.worked.files import load_example  # its parsers are needed by few runs

        example = load_example(example)
    example = example.vary(**variation) if variation else example
    step, settings = Recorder(), example.settings
    weights = {
        name: step.given(name, axes_of(name), values) for name, values in example.used_parameters.items()
    }
    if settings.predicts:
        tempered, probabilities = transformer(step, weights, example.rows, settings)
        if len(example.tokens) > 1:  # a single word has no next word to compare with
            next_word_loss(step, tempered, probabilities, following(example.rows))
    else:
        X = embed(step, weights["E"], weights.get("P"), example.rows, settings)
        W_Q, W_K, W_V, W_O = (weights.get(name) for name in ("W_Q", "W_K", "W_V", "W_O"))
        attention(step, X, W_Q, W_K, W_V, W_O, settings)
    return Trace(step.quantities, example.tokens, example.vocabulary, _provenance(example))


def _provenance(example: Example) -> dict[str, Any]:
    return {
        "source": "example",
        "name": example.name,
        "title": example.title,
        "settings": asdict(example.settings),
    }


def with_asides(trace: Trace, layer: int = 0) -> Trace:
    """The trace of an example with the two questions beside one layer's main line answered: see `core.asides`.

    An aside squares numbers and can overflow where the layer itself does not. It is then left out, and the sentence
    that says why is in `provenance["left_out"]`: the main line must not fail for it.
    """
    quantities, left_out = list(trace.values()), []
    here = scope(layer, trace.provenance["settings"]["layers"])
    for aside in (_scaling, _contribution):
        step = Recorder()
        try:
            aside(within(step, here), lambda name: trace.get(here + name))
        except OverflowError as error:
            left_out.append(f"A comparison beside the main line is left out: {error}.")
        else:
            quantities += step.quantities
    return Trace(quantities, trace.tokens, trace.vocabulary, trace.provenance | {"left_out": left_out})


def _scaling(step: Step, of: Callable[[str], Any]) -> None:
    masked = of("masked").operation
    assert isinstance(masked, Masked)
    asides.scaling(step, of("scores"), of("bias"), masked, of("Q").shape[-1])


def _contribution(step: Step, of: Callable[[str], Any]) -> None:
    asides.contribution(step, of("weights"), of("V"), of("W_O"), of("output"))
