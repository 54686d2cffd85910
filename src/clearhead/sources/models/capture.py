"""ch.capture: one run of a model, with everything that entered its attention."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import torch

from clearhead.sources.models.failing import CaptureError
from clearhead.sources.models.inputs import Given, prepared
from clearhead.sources.models.passes import recorded
from clearhead.sources.models.recorder import Layer as Recorded
from clearhead.sources.models.recorder import Recorder, attention_of, written_over
from clearhead.sources.models.streams import Streams
from clearhead.sources.models.towers import others, places
from clearhead.trace.capture.capture import Capture, Layer

MOST_LIKELY = 10
"""Next words that are kept, the likeliest first."""


def capture(
    model: torch.nn.Module,
    tokenizer: Any = None,
    text: Any = None,
    *,
    decoder: Any = None,
    tokens: Sequence[str] | None = None,
    inputs: Mapping[str, Any] | None = None,
    generate: int = 0,
) -> Capture:
    """See `clearhead.capture`."""
    given = prepared(model, tokenizer, text, decoder, tokens, inputs)
    recorder = Recorder(model)
    with recorded(model, recorder):
        output, ids = _run(model, given, generate)
    if not recorder.layers:
        raise CaptureError(_nothing(model, recorder))
    streams = Streams(model, tokenizer, given, ids)
    layers = _layers(model, recorder, streams)
    return Capture(
        tuple(layers), streams.texts, _provenance(model, given), streams.prompt if generate else None,
        _next_words(output, given, tokenizer),
    )  # fmt: skip


def _run(model: Any, given: Given, generate: int) -> tuple[Any, torch.Tensor | None]:
    """The model's output, and the ids that it went on with, if it was asked to."""
    if not generate:
        return model(**given.inputs), None
    ids = model.generate(
        **given.inputs,
        max_new_tokens=generate,
        do_sample=False,
        num_beams=1,
        use_cache=True,
        return_dict_in_generate=False,
    )
    return None, ids


def _layers(model: torch.nn.Module, recorder: Recorder, streams: Streams) -> list[Layer]:
    """Every layer of the capture, in the order in which they ran, and the blocks that are no attention between them."""
    recorded_layers = list(recorder.layers.values())
    found = []
    for place, one in zip(places(model, recorded_layers), recorded_layers, strict=True):
        attention = attention_of(one)
        rows, columns = streams.of(one.name, one.cross, attention)
        found.append(Layer(place.tower, place.number, place.path, attention, _why_not(one), rows, columns))
    return _with_others(model, recorded_layers, found)


def _why_not(layer: Recorded) -> str:
    return (
        "the model wrote over what its kernel had read, so nothing of it is kept"
        if written_over(layer)
        else ""
    )


def _with_others(
    model: torch.nn.Module, recorded_layers: Sequence[Recorded], found: list[Layer]
) -> list[Layer]:
    """The layers, and where their towers have blocks without attention these too, in the order of their numbers."""
    beside = others(model, recorded_layers)
    if not beside:
        return found
    towers = {layer.path: layer.tower for layer in found}
    total = list(found)
    for prefix, number, path, what in beside:
        tower = next(name for at, name in towers.items() if at.startswith(f"{prefix}."))
        total.append(Layer(tower, number, path, None, f"{what}, which is no softmax attention"))
    order = list(dict.fromkeys(layer.tower for layer in found))
    return sorted(total, key=lambda layer: (order.index(layer.tower), layer.number))


def _nothing(model: torch.nn.Module, recorder: Recorder) -> str:
    name = type(model).__name__
    if recorder.refused:
        path, reason = next(iter(recorder.refused.items()))
        return f"{name}: {path} cannot be captured: {reason}"
    return (
        f"{name}: no attention was seen in it; expected a model with softmax attention that ran on this input"
    )


def _provenance(model: Any, given: Given) -> dict[str, Any]:
    """Where the numbers come from."""
    import transformers

    config = getattr(model, "config", None)
    parameter = next(model.parameters(), torch.zeros(0))
    return {
        "model": getattr(config, "_name_or_path", "") or type(model).__name__,
        "class": type(model).__name__,
        "type": getattr(config, "model_type", ""),
        "dtype": str(parameter.dtype).removeprefix("torch."),
        "device": str(parameter.device),
        "training": bool(model.training),
        "text": given.text,
        "versions": {
            "clearhead": version("clearhead"), "torch": torch.__version__, "transformers": transformers.__version__,
            "numpy": np.__version__, "python": platform.python_version(),
        },
    }  # fmt: skip


def _next_words(output: Any, given: Given, tokenizer: Any) -> tuple[tuple[dict[str, Any], ...], ...]:
    """The likeliest next tokens after each sequence, if the model gives one row of logits for each position."""
    logits = getattr(output, "logits", None)
    if logits is None or logits.ndim != 3 or logits.shape[1] != given.length:
        return ()
    words = []
    for row, last in zip(logits, given.last, strict=True):
        probabilities = torch.softmax(row[last].double(), -1)
        top = torch.topk(probabilities, min(MOST_LIKELY, len(probabilities)))
        words.append(tuple(
            {"id": int(number), "text": given.word(tokenizer, int(number)), "probability": float(share)}
            for share, number in zip(top.values, top.indices, strict=True)
        ))  # fmt: skip
    return tuple(words)
