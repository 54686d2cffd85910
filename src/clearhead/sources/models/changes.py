"""Switches on the real model: which layers a change means, and the run in which they do otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from clearhead.sources.models.call import Call
from clearhead.sources.models.changed import Switches, changed
from clearhead.sources.models.failing import CaptureError
from clearhead.sources.models.inputs import Given
from clearhead.sources.models.recorder import Recorder
from clearhead.sources.models.towers import places
from clearhead.sources.models.watcher_derive import KERNEL
from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.change import Change
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.visible import Runs

Key = tuple[str, int]
"""How a recorder calls a layer: its module's path, and which call of it in a pass."""


class Changing(Recorder):
    """Records a run in which some layers compute otherwise; the others run their own kernels, untouched."""

    def __init__(
        self, model: torch.nn.Module, plan: Mapping[Key, Switches], below: bool | None = None
    ) -> None:
        super().__init__(model, below)
        self._plan = plan
        self._met: set[tuple[Key, int, int, int]] = set()

    def keep(self, call: Call, result: Any) -> Any:
        """Keep a call as it is with the switches of its layer; gives what the model goes on with."""
        key = (self.name_of(call.module), self.turn(call).nth)
        switches = self._plan.get(key)
        if switches is None:
            return super().keep(call, result)
        first, begins = self._places(key, call)
        for head, query, at, _ in switches.weights:
            if 0 <= query - first < call.query.shape[2]:
                if not 0 <= at - begins < call.key.shape[2]:
                    raise CaptureError(
                        f"change: key {at} is not there when query {query} asks; expected a key from {begins} to "
                        f"{begins + call.key.shape[2] - 1}"
                    )
                self._met.add((key, head, query, at))
        return super().keep(*changed(call, result, switches, first, begins))

    def all_met(self) -> None:
        """Every weight that was to be set has been.

        Raises:
            CaptureError: one was not: the model went on for fewer words than without the changes.
        """
        for key, switches in self._plan.items():
            for head, query, at, _ in switches.weights:
                if (key, head, query, at) not in self._met:
                    raise CaptureError(
                        f"change: with the changes the model stopped before query {query}, so its weight was not set; "
                        "expected a query of the prompt, or of an answer that gets there"
                    )

    def _places(self, key: Key, call: Call) -> tuple[int, int]:
        """Where the first query and the first key of a call stand in the whole text."""
        queries, keys = call.query.shape[2], call.key.shape[2]
        layer = self.layers.get(key)
        seen = layer.seen if layer else 0
        if layer is None or layer.cross:
            return seen, 0
        if layer.again(call):
            return 0, 0
        return seen, max(0, seen + queries - keys)


def planned(
    model: torch.nn.Module, recorder: Recorder, plain: Capture, given: Given, changes: Sequence[Change]
) -> dict[Key, Switches]:
    """What each layer is to do otherwise, by the run without changes that named the layers.

    Raises:
        CaptureError: a change names what is not there, or cannot be made there.
    """
    found = places(model, [*recorder.layers.values(), *recorder.missed()])
    keys = {(place.tower, place.number): key for place, key in zip(found, recorder.layers, strict=False)}
    plan: dict[Key, Switches] = {}
    for change in changes:
        for layer in _meant(plain, recorder, change):
            key = keys[layer.tower, layer.number]
            plan[key] = _with(plan.get(key, Switches()), change, layer, given)
    return plan


def _meant(plain: Capture, recorder: Recorder, change: Change) -> list[Layer]:
    """The layers a change is for, each known to be able to do it."""
    if change.layer is not None:
        try:
            layers = [plain.layer(change.layer, change.tower)]
        except LookupError as error:
            raise CaptureError(f"change {str(change)!r}: {error}") from None
    else:
        if change.tower is not None and change.tower not in plain.towers:
            towers = (
                ", ".join(tower for tower in plain.towers if tower) or "no name, as the model has one tower"
            )
            raise CaptureError(
                f"change {str(change)!r}: there is no tower {change.tower!r}; expected {towers}"
            )
        layers = [one for one in plain.attentions() if change.tower in (None, one.tower)]
        known = {one.path for one in layers}
        missed = [path for path in recorder.refused if change.tower is None and path not in known]
        if missed:
            raise CaptureError(
                f"change {str(change)!r}: {missed[0]} could not be captured, so it cannot be changed; expected the "
                "layers by name"
            )
    for layer in layers:
        _check(layer, change)
    return layers


def _check(layer: Layer, change: Change) -> None:
    """One layer can do this."""
    attention, what = layer.attention, f"change {str(change)!r}"
    assert attention is not None  # only such layers are asked for
    if attention.kernel == KERNEL:
        raise CaptureError(
            f"{what}: {layer.label} ({layer.path}) computes its attention by itself; switches need a model whose "
            "attention goes through transformers' registry"
        )
    if attention.dropout:
        raise CaptureError(
            f"{what}: dropout of {attention.dropout:g} is on in {layer.label}; expected model.eval() before"
        )
    for name, size in (("head", attention.heads), ("query", attention.queries), ("key", attention.keys)):
        number = getattr(change, name)
        if number is not None and number >= size:
            raise CaptureError(f"{what}: {layer.label} has no {name} {number}; expected 0 to {size - 1}")


def _with(switches: Switches, change: Change, layer: Layer, given: Given) -> Switches:
    """The switches of a layer with one more thrown."""
    assert layer.attention is not None  # checked before
    switches = replace(switches, said=(*switches.said, str(change)))
    match change.kind:
        case "mask":
            return replace(switches, mask=True, padding=_padding(layer, layer.attention, given))
        case "scale":
            return replace(switches, scale=True)
        case "off":
            heads = range(layer.heads) if change.head is None else (change.head,)
            return replace(switches, off=tuple(sorted({*switches.off, *heads})))
    assert change.head is not None  # a weight's place is whole
    assert change.query is not None
    assert change.key is not None
    assert change.value is not None
    place = (change.head, change.query, change.key)
    if any(one[:3] == place for one in switches.weights):
        raise CaptureError(f"change {str(change)!r}: this weight is set twice; expected one number for it")
    return replace(switches, weights=(*switches.weights, (*place, float(change.value))))


def _padding(layer: Layer, attention: Attention, given: Given) -> torch.Tensor | None:
    """Boolean (sequences, keys): the keys that are padding, by the tokens or because no query may see them."""
    hidden = np.zeros((attention.sequences, attention.keys), dtype=bool)
    tokens = given.decoder if layer.columns == "decoder" else given.tokens
    for batch in range(attention.sequences):
        patterns = [attention.visible.pattern(batch, head) for head in range(attention.heads)]
        if all(isinstance(pattern, Runs) for pattern in patterns):
            hidden[batch] = ~np.any(
                [_seen(pattern) for pattern in patterns if isinstance(pattern, Runs)], axis=0
            )
        if layer.columns in ("text", "encoder", "decoder") and batch < len(tokens):
            row = [token.padding for token in tokens[batch]][: attention.keys]
            hidden[batch, : len(row)] |= row
    if not hidden.any():
        return None
    device = getattr(getattr(attention.key, "tensor", None), "device", "cpu")
    return torch.from_numpy(hidden).to(device)


def _seen(runs: Runs) -> np.ndarray:
    """Boolean (keys,): the keys that some query may see."""
    edges = np.zeros(runs.keys + 1, dtype=np.int64)
    np.add.at(edges, runs.start, 1)
    np.add.at(edges, runs.end, -1)
    return np.cumsum(edges)[:-1] > 0
