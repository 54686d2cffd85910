"""Keeps the calls of a model's attention kernels over one or many forward passes, and joins those of one layer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from clearhead.sources.models.call import Call
from clearhead.sources.models.held import HeldTensor
from clearhead.sources.models.masks import Masks
from clearhead.trace.capture.attention import Attention, Bias
from clearhead.trace.capture.visible import Named, Pattern, Runs, Visible


@dataclass(frozen=True, eq=False)
class Step:
    """One call of a layer: its tensors, and its mask taken apart."""

    call: Call
    visible: Visible
    bias: Bias | None
    versions: tuple[int, ...]


@dataclass(eq=False)
class Layer:
    """The calls of one layer: one, or one for each pass of a generation.

    Attributes:
        name: the module's path in the model.
        nth: which call of that module in its pass this is; a module may be several layers (ALBERT).
        cross: whether keys come from elsewhere than queries.
    """

    name: str
    nth: int
    cross: bool
    steps: list[Step] = field(default_factory=list)


class Recorder:
    """What one capture keeps."""

    def __init__(self, model: torch.nn.Module) -> None:
        self._names = {id(module): name for name, module in model.named_modules()}
        self._masks = Masks()
        self._calls: Counter[str] = Counter()
        self.layers: dict[tuple[str, int], Layer] = {}
        self.refused: dict[str, str] = {}

    def next_pass(self) -> None:
        """A forward pass begins: a layer that is called in it goes on where it was."""
        self._calls.clear()

    def name_of(self, module: torch.nn.Module) -> str:
        """The module's path in the model."""
        return self._names[id(module)]

    def keep(self, call: Call, result: Any) -> Any:
        """Keep a call; gives the kernel's own result."""
        name = self.name_of(call.module)
        place = (name, self._calls[name])
        self._calls[name] += 1
        layer = self.layers.setdefault(place, Layer(*place, cross=call.query.shape[2] != call.key.shape[2]))
        visible, bias = self._masks.of(call)
        step = Step(replace(call, mask=None, bias=None), visible, bias, ())
        layer.steps = joined(layer, step)
        layer.steps[-1] = replace(layer.steps[-1], versions=versions(layer.steps[-1]))
        return result

    def refuse(self, module: torch.nn.Module, reason: str) -> None:
        """A layer cannot be captured, and why."""
        self.refused.setdefault(self.name_of(module), reason)


def joined(layer: Layer, step: Step) -> list[Step]:
    """The steps of a layer with one more: of keys that were kept before only the new ones are kept."""
    if not layer.steps:
        return [step]
    seen = sum(one.call.query.shape[2] for one in layer.steps)
    before, call = layer.steps[0].call, step.call
    new, keys = call.query.shape[2], call.key.shape[2]
    if not layer.cross and new == keys and new >= seen:
        return [step]  # no cache: everything is computed again in each pass
    if layer.cross:
        call = replace(call, key=before.key[:, :, :0], value=before.value[:, :, :0])
    else:
        # copied, since a part of a tensor keeps the whole of it: all keys so far, at every step
        key, value = (one[:, :, keys - new :].clone() for one in (call.key, call.value))
        call = replace(call, key=key, value=value)
    return [*layer.steps, replace(step, call=call)]


def attention_of(layer: Layer) -> Attention:
    """All that is known of a layer, its steps joined into one growing triangle."""
    calls = [step.call for step in layer.steps]
    first = calls[0]
    query, key, value = (
        _joined([getattr(one, part) for one in calls], 2) for part in ("query", "key", "value")
    )
    output = _joined([one.output for one in calls], 1)
    visible, bias = layer.steps[0].visible, layer.steps[0].bias
    if len(calls) > 1:
        visible, bias = _grown(layer, key.shape[2])
    return Attention(
        HeldTensor(query), HeldTensor(key), HeldTensor(value), HeldTensor(output), first.scale, visible, first.kernel,
        first.soft_cap, bias, None if first.sink is None else first.sink.double().cpu().numpy(), first.dropout,
        first.softmax_dtype, tuple(dict.fromkeys(note for one in calls for note in one.notes)),
    )  # fmt: skip


def written_over(layer: Layer) -> bool:
    """Whether the model wrote over something that was kept, after its kernel had read it."""
    return any(step.versions != versions(step) for step in layer.steps)


def versions(step: Step) -> tuple[int, ...]:
    """How often each tensor of a step has been written to."""
    call = step.call
    return tuple(one._version for one in (call.query, call.key, call.value, call.output))


def _joined(parts: list[torch.Tensor], axis: int) -> torch.Tensor:
    return parts[0] if len(parts) == 1 else torch.cat(parts, axis)


def _grown(layer: Layer, keys: int) -> tuple[Visible, Bias | None]:
    """The masks of the steps below one another, each over the keys that there were at its time.

    A cache of a window hands over its last keys only: those of a step end where its own queries end.
    """
    sequences, heads = (max(len(step.visible.patterns) for step in layer.steps),
                        max(len(step.visible.patterns[0]) for step in layer.steps))  # fmt: skip
    grown = tuple(
        tuple(_below_one_another(layer, keys, batch, head) for head in range(heads))
        for batch in range(sequences)
    )
    if all(step.bias is None for step in layer.steps):
        return Visible(grown), None
    return Visible(grown), _bias_below(layer, keys)


def _begins(layer: Layer, runs_keys: int, done: int, keys: int) -> int:
    """How many keys lie before those of a step that ends after `done` queries."""
    return 0 if layer.cross else max(0, done - runs_keys)


def _below_one_another(layer: Layer, keys: int, batch: int, head: int) -> Pattern:
    total: Runs | None = None
    done = 0
    for step in layer.steps:
        done += step.call.query.shape[2]
        pattern = step.visible.pattern(batch, head)
        runs = pattern.runs() if isinstance(pattern, Named) else pattern
        moved = runs.moved(keys, _begins(layer, runs.keys, done, keys))
        total = moved if total is None else total.then(moved)
    assert total is not None  # a layer has a step
    return total


def _bias_below(layer: Layer, keys: int) -> Bias:
    """The biases of the steps below one another, 0 where a step had no such key."""
    done, rows = 0, []
    for step in layer.steps:
        queries = step.call.query.shape[2]
        done += queries
        pattern = step.visible.pattern(0, 0)
        begins = _begins(layer, pattern.keys, done, keys)
        bias = step.bias or Bias(np.zeros((1, 1, 1, pattern.keys)), False, queries)
        tables = np.array([
            [np.broadcast_to(bias.table(batch, head), (queries, pattern.keys)) for head in range(bias.values.shape[1])]
            for batch in range(bias.values.shape[0])
        ])  # fmt: skip
        room = np.zeros((*tables.shape[:2], queries, keys))
        room[..., begins : begins + pattern.keys] = tables
        rows.append(room)
    shape = np.max([room.shape[:2] for room in rows], axis=0)
    full = [np.broadcast_to(room, (*shape, *room.shape[2:])) for room in rows]
    return Bias(np.concatenate(full, axis=2), False, done)
