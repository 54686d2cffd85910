"""ch.capture: one run of a model, with everything that entered its attention."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from clearhead.sources.models.below_found import beneath
from clearhead.sources.models.changed import Switches
from clearhead.sources.models.changes import Changing, Key, planned
from clearhead.sources.models.failing import CaptureError
from clearhead.sources.models.follows import follows_from
from clearhead.sources.models.foreseen import foresee
from clearhead.sources.models.inputs import Asked, Given, prepared
from clearhead.sources.models.loading import Loaded
from clearhead.sources.models.passes import recorded
from clearhead.sources.models.provenance import next_words, provenance
from clearhead.sources.models.recorder import Layer as Recorded
from clearhead.sources.models.recorder import Recorder
from clearhead.sources.models.running import Said, check_generate, otherwise_asked, run
from clearhead.sources.models.sparing import sparing
from clearhead.sources.models.spill import Spill, Taken
from clearhead.sources.models.spill_foreseen import foresee_room
from clearhead.sources.models.spill_made_of import made_of
from clearhead.sources.models.spill_told import Told, layers_expected
from clearhead.sources.models.streams import Streams
from clearhead.sources.models.taking import check_takes
from clearhead.sources.models.towers import others, places
from clearhead.sources.models.usable import usable
from clearhead.sources.models.watching import Progress, watched
from clearhead.trace.capture.below import Below
from clearhead.trace.capture.capture import Capture, Words
from clearhead.trace.capture.change import Change, Changes, read_changes
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.overview import LayerOverview, read_bins
from clearhead.trace.capture.store import Store
from clearhead.trace.capture.store_read import found_finished


def capture(
    model: torch.nn.Module | Loaded,
    tokenizer: Any = None,
    text: Any = None,
    *,
    decoder: Any = None,
    tokens: Sequence[str] | Sequence[Sequence[str]] | None = None,
    inputs: Mapping[str, Any] | None = None,
    images: Any = None,
    processor: Any = None,
    generate: int = 0,
    changes: Changes | Iterable[Changes] = (),
    below: bool | None = None,
    progress: Progress | bool | None = None,
    force: bool = False,
    store: str | Path | None = None,
    overview: bool | int | None = None,
    looked: Looked | None = None,
) -> Capture:
    """See `clearhead.capture`. With overviews, `looked` is told of every layer that is finished."""
    bins = read_bins(overview, store)
    if store is not None:
        if below:
            raise CaptureError("below: a store has no room for the layers' inputs; expected one of the two")
        below = False
    wanted = read_changes(changes)
    asked = Asked(tokenizer, text, decoder, tokens, inputs, images, processor, generate)
    if isinstance(model, Loaded):
        model, asked = _unpacked(model, asked)
    if isinstance(asked.tokenizer, str | list):
        raise CaptureError(
            "tokenizer: expected one of transformers', got a text; expected the text as third argument"
        )
    model, notes = usable(model)
    check_generate(model, generate)
    given = prepared(model, asked)
    check_takes(model, given.inputs)
    given = replace(given, notes=(*notes, *otherwise_asked(model, generate), *given.notes))
    given = sparing(model, given, generate)
    made, follows = {}, None
    if store is not None:
        made = made_of(model, given, generate, wanted, bins)
        follows = follows_from(model, made)
        if (finished := found_finished(store, follows)) is not None:
            return finished
    if not force:
        # layers are let go one by one in a single pass, and all at once where a run without changes goes before
        foresee(model, given, generate, stored=store is not None and not generate and not wanted)
        if store is not None:
            foresee_room(model, given, generate, store, bins)
    with ExitStack() as stack:
        kept = None
        if store is not None:
            kept = stack.enter_context(Store.opened(store, made))
        plan, before = _before(model, asked.tokenizer, given, generate, wanted) if wanted else ({}, ())
        recorder = Changing(model, plan, below) if wanted else Recorder(model, below)
        tell = stack.enter_context(watched(model, progress, generate, given.length, blocks=not bins))
        told = Told(tell, layers_expected(model, given, generate)) if bins else None
        said = None if looked is None else partial(_said, model, recorder, looked)
        spill = Spill(recorder, kept, bins, told, said)
        found = _captured(model, asked.tokenizer, given, generate, recorder, spill)
        if isinstance(recorder, Changing):
            recorder.all_met()
            found = replace(found, before=before, changes=wanted)
        return spill.finished(found, follows)


Looked = Callable[[Sequence[Layer], LayerOverview], None]
"""Takes the layers that are finished so far, and the overview of the last; with further towers their names change."""


def _said(model: torch.nn.Module, recorder: Recorder, looked: Looked, taken: Taken) -> None:
    """Say of the layers that are taken so far what they are."""
    stand = places(model, [recorder.layers[place] for place in taken])
    layers = [
        Layer(place.tower, place.number, place.path, one.attention, one.what, one.rows, one.columns)
        for place, one in zip(stand, taken.values(), strict=True)
    ]
    overview = list(taken.values())[-1].overview
    if overview is not None:
        looked([layer for layer in layers if layer.attention is not None], overview)


def _unpacked(loaded: Loaded, asked: Asked) -> tuple[Any, Asked]:
    """The model of what `load_model` gave, with its tokenizer, its processor and its name: capture(loaded, text)."""
    given, text, tokenizer = asked.tokenizer, asked.text, loaded.tokenizer
    if hasattr(given, "all_special_ids"):
        tokenizer = given
    elif given is not None and text is None:
        text = given
    more = replace(
        asked, tokenizer=tokenizer, text=text, processor=asked.processor or loaded.processor, name=loaded.name,
        notes=loaded.notes,
    )  # fmt: skip
    return loaded.model, more


def _before(
    model: torch.nn.Module, tokenizer: Any, given: Given, generate: int, changes: Sequence[Change]
) -> tuple[Mapping[Key, Switches], Words]:
    """A run without the changes: what each layer is to do otherwise, and the next words; the rest is let go."""
    own = {  # a cache among the inputs would grow
        name: one if isinstance(one, torch.Tensor) else copy.deepcopy(one) for name, one in given.inputs.items()
    }  # fmt: skip
    recorder = Recorder(model, below=False)
    plain = _captured(model, tokenizer, replace(given, inputs=own), generate, recorder, Spill(recorder))
    return planned(model, recorder, plain, given, changes), plain.next_words


def _captured(
    model: torch.nn.Module, tokenizer: Any, given: Given, generate: int, recorder: Recorder, spill: Spill
) -> Capture:
    """The capture of one run."""
    if not generate:  # what is read is known before
        streams = Streams(model, tokenizer, given, Said())
        spill.during(streams)
    with recorded(model, recorder, spill.keep):
        said = run(model, given, generate, recorder.next_pass)
    if not recorder.layers:
        raise CaptureError(_nothing(model, recorder))
    if generate:
        streams = Streams(model, tokenizer, given, said)
    layers = _layers(model, recorder, streams, spill)
    if all(layer.attention is None for layer in layers):
        raise CaptureError(f"{type(model).__name__}: {layers[0].path} cannot be captured: {layers[0].what}")
    return Capture(
        tuple(layers), streams.texts, provenance(model, given), streams.prompt if generate else None,
        next_words(model, said.logits, given, tokenizer), grids=streams.grids,
    )  # fmt: skip


def _layers(model: torch.nn.Module, recorder: Recorder, streams: Streams, spill: Spill) -> list[Layer]:
    """Every layer of the capture, in the order in which they ran, and the blocks that are no attention between them."""
    recorded_layers = list(recorder.layers.values())
    found = []
    missed = recorder.missed()
    placed = places(model, [*recorded_layers, *missed])
    for place, one in zip(placed, recorded_layers, strict=False):
        kept = spill.take(streams, one)
        way = beneath(one, kept.attention, recorder.linears) if kept.attention and one.steps else Below
        one.steps.clear()  # what was kept pass by pass is joined now
        found.append(
            Layer(
                place.tower, place.number, place.path, kept.attention, kept.what, kept.rows, kept.columns, way
            )
        )
    found.extend(
        Layer(place.tower, place.number, place.path, None, recorder.refused[one.name])
        for place, one in zip(placed[len(recorded_layers) :], missed, strict=True)
    )
    return _with_others(model, [*recorded_layers, *missed], found)


def _with_others(
    model: torch.nn.Module, recorded_layers: Sequence[Recorded], found: list[Layer]
) -> list[Layer]:
    """The layers, and where their towers have blocks without attention these too, in the order of their numbers."""
    beside = others(model, recorded_layers)
    if not beside and all(layer.attention is not None for layer in found):
        return found
    towers = {layer.path: layer.tower for layer in found}
    total = list(found)
    for prefix, number, path, what in beside:
        tower = next(name for at, name in towers.items() if at.startswith(f"{prefix}."))
        total.append(Layer(tower, number, path, None, f"no softmax attention was seen in it ({what})"))
    order = list(dict.fromkeys(layer.tower for layer in found))
    return sorted(total, key=lambda layer: (order.index(layer.tower), layer.number))


def _nothing(model: torch.nn.Module, recorder: Recorder) -> str:
    name = type(model).__name__
    if recorder.refused:
        path, reason = next(iter(recorder.refused.items()))
        return f"{name}{path and f': {path}'} cannot be captured: {reason}"
    return (
        f"{name}: no attention was seen in it; expected a model with softmax attention that ran on this input"
    )
