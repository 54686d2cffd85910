"""Keeps the calls of a model's attention kernels over one or many forward passes, and joins those of one layer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from clearhead.sources.models.below import Given, Linears
from clearhead.sources.models.below_found import from_elsewhere
from clearhead.sources.models.call import Call
from clearhead.sources.models.held import HeldTensor, version_of
from clearhead.sources.models.masks import Masks
from clearhead.sources.models.turns import Turn, Turns
from clearhead.trace.capture.attention import Attention, Bias
from clearhead.trace.capture.visible import Named, Pattern, Runs, Visible


@dataclass(frozen=True, eq=False)
class Step:
    """One call of a layer: its tensors, its mask taken apart, and what the linear layers before it were given."""

    call: Call
    visible: Visible
    bias: Bias | None
    versions: tuple[int, ...]
    given: tuple[Given, ...] = ()


@dataclass(eq=False)
class Layer:
    """The calls of one layer: one, or one for each pass of a generation.

    Attributes:
        name: the module's path in the model.
        nth: which of that module's layers this is; a module may be several (ALBERT).
        cross: whether keys come from elsewhere than queries.
        part: which call within one entry of the module this is; it may attend twice (DiffLlama).
        in_parts: whether the calls are of one pass, each of other positions that see nothing of the others' (windows).
    """

    name: str
    nth: int
    cross: bool
    part: int = 0
    in_parts: bool = False
    steps: list[Step] = field(default_factory=list)


class Recorder:
    """What one capture keeps."""

    def __init__(self, model: torch.nn.Module, below: bool | None = None) -> None:
        self.linears = Linears(model, below)
        self._names = {id(module): name for name, module in model.named_modules()}
        self._masks = Masks()
        self.turns = Turns()
        self.layers: dict[tuple[str, int], Layer] = {}
        self.refused: dict[str, str] = {}

    def next_pass(self) -> None:
        """A forward pass begins: a layer that is called in it goes on where it was."""
        self.turns.next_pass()
        self.linears.forget()

    def name_of(self, module: torch.nn.Module) -> str:
        """The module's path in the model."""
        return self._names[id(module)]

    def keep(self, call: Call, result: Any) -> Any:
        """Keep a call; gives the kernel's own result."""
        name, turn = self.name_of(call.module), self.turn(call)
        self.turns.took(call.module, turn)
        if name in self.refused:
            return result
        place = name, turn.nth
        given = self.linears.given(call)
        if place not in self.layers:
            self.layers[place] = Layer(*place, cross=from_elsewhere(call, given), part=turn.part)
        layer = self.layers[place]
        visible, bias = self._masks.of(call)
        if not self.linears.keeps(call):
            given = tuple(one.emptied() for one in given)
        step = Step(replace(call, mask=None, bias=None), visible, bias, (), given)
        if turn.goes_on:
            layer.steps, layer.in_parts = [*layer.steps, step], True
        else:
            layer.steps = [step] if layer.in_parts else joined(layer, step)
        layer.steps[-1] = replace(layer.steps[-1], versions=versions(layer.steps[-1]))
        return result

    def refuse(self, module: torch.nn.Module, reason: str) -> None:
        """A layer cannot be captured, and why; what was seen of it is a part at most, and is let go."""
        name = self.name_of(module)
        self.refused.setdefault(name, reason)
        self.layers = {place: layer for place, layer in self.layers.items() if place[0] != name}

    def turn(self, call: Call) -> Turn:
        """Which layer of its module a call that is not kept yet belongs to."""
        last = self.turns.last(call.module)
        layer = None if last is None else self.layers.get((self.name_of(call.module), last.nth))
        before = layer.steps[-1] if layer is not None and layer.steps else None
        return self.turns.of(call, None if before is None or before.bias is not None else before.call)

    def missed(self) -> list[Layer]:
        """What could not be captured, as layers without a call."""
        return [Layer(name, 0, cross=False) for name in self.refused]


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
    if layer.in_parts:
        visible = Visible(((_side_by_side(layer, query.shape[2], key.shape[2]),),))
    elif len(calls) > 1:
        visible, bias = _grown(layer, key.shape[2])
    return Attention(
        HeldTensor(query), HeldTensor(key), HeldTensor(value), HeldTensor(output), first.scale, visible, first.kernel,
        first.soft_cap, bias, None if first.sink is None else first.sink.double().cpu().numpy(), first.dropout,
        first.softmax_dtype, tuple(dict.fromkeys(note for one in calls for note in one.notes)),
        first.off, first.weights_set,
    )  # fmt: skip


def written_over(layer: Layer) -> bool:
    """Whether the model wrote over something that was kept, after its kernel had read it."""
    return any(step.versions != versions(step) for step in layer.steps)


def versions(step: Step) -> tuple[int, ...]:
    """How often each tensor of a step has been written to."""
    call = step.call
    return tuple(version_of(one) for one in (call.query, call.key, call.value, call.output))


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


def _side_by_side(layer: Layer, queries: int, keys: int) -> Pattern:
    """The masks of parts that see nothing of each other, one after the other along the diagonal."""
    total = Runs(keys, np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32))
    begins = 0
    for step in layer.steps:
        pattern = step.visible.pattern(0, 0)
        runs = pattern.runs() if isinstance(pattern, Named) else pattern
        total = total.then(runs.moved(keys, begins))
        begins += step.call.key.shape[2]
    return total


def _begins(layer: Layer, runs_keys: int, done: int, keys: int) -> int:
    """How many keys lie before those of a step that ends after `done` queries."""
    # a cache of a window may hand over the last keys only in the first step already
    first = layer.steps[0].call
    missing = max(0, first.query.shape[2] - first.key.shape[2])
    return 0 if layer.cross else max(0, done - missing - runs_keys)


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
