"""Keeps the calls of a model's attention kernels over one or many forward passes, and joins those of one layer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from clearhead.sources.models.below import FOLLOWED, NOTHING, Given, Linears
from clearhead.sources.models.below_found import from_elsewhere
from clearhead.sources.models.call import Call
from clearhead.sources.models.grown import Joints, biases_below
from clearhead.sources.models.held import HeldTensor, version_of
from clearhead.sources.models.masks import Masks
from clearhead.sources.models.turns import Turn, Turns
from clearhead.trace.capture.attention import Attention, Bias
from clearhead.trace.capture.visible import Visible


@dataclass(eq=False, slots=True)
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
        seen: how many queries its calls had, all together.
        joints: puts the masks of its calls together; the layers of a run share it.
    """

    name: str
    nth: int
    cross: bool
    part: int = 0
    in_parts: bool = False
    steps: list[Step] = field(default_factory=list)
    seen: int = 0
    joints: Joints = field(default_factory=Joints)

    def again(self, call: Call) -> bool:
        """Whether a call computes everything again that came before it: there is no cache."""
        new = call.query.shape[2]
        return not self.cross and new == call.key.shape[2] and new >= self.seen

    def begin(self, step: Step) -> None:
        """The layer's only call so far: what came before it is let go."""
        self.steps, self.in_parts, self.seen = [step], False, step.call.query.shape[2]

    def go_on(self, step: Step, beside: bool) -> None:
        """One more call, of further positions, in the same pass if it stands beside the one before."""
        self.steps.append(step)
        self.in_parts = beside
        self.seen += step.call.query.shape[2]

    def empty(self) -> None:
        """Let go of what the linear layers were given: it is of no use if it is not known of every call."""
        for step in reversed(self.steps):
            if all(one.input is NOTHING for one in step.given):
                break  # and so are those before
            step.given = tuple(one.emptied() for one in step.given)


class Recorder:
    """What one capture keeps."""

    def __init__(self, model: torch.nn.Module, below: bool | None = None) -> None:
        self.linears = Linears(model, below)
        self._names = {id(module): name for name, module in model.named_modules()}
        self._masks, self._joints = Masks(), Joints()
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
        layer = self.layers.get(place)
        fresh = layer is None or (not turn.goes_on and (layer.in_parts or layer.again(call)))
        given = self.linears.given(call, layer is None or fresh or len(layer.steps) < FOLLOWED)
        visible, bias = self._masks.of(call)
        if layer is None:
            cross = from_elsewhere(call, given)
            layer = self.layers[place] = Layer(*place, cross=cross, part=turn.part, joints=self._joints)
        kept = replace(call, mask=None, bias=None)
        if not fresh and not turn.goes_on:
            kept = new_of(layer, kept)
        step = Step(kept, visible, bias, versions(kept), given)
        if fresh:
            layer.begin(step)
        else:
            layer.go_on(step, beside=turn.goes_on)
        if not self.linears.keeps(call):
            layer.empty()
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


def new_of(layer: Layer, call: Call) -> Call:
    """A further call of a layer, of keys and values that were kept before only the new ones."""
    if layer.cross:
        first = layer.steps[0].call
        key, value = first.key[:, :, :0], first.value[:, :, :0]
    else:
        new, keys = call.query.shape[2], call.key.shape[2]
        key, value = (_alone(one[:, :, keys - new :]) for one in (call.key, call.value))
    return replace(call, query=_alone(call.query), key=key, value=value)


def _alone(part: torch.Tensor) -> torch.Tensor:
    """A part of a tensor without the rest, which it would keep: all keys so far, at every step."""
    return part.clone() if part.untyped_storage().nbytes() > part.numel() * part.element_size() else part


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
        visible, bias = _together(layer, key.shape[2])
    return Attention(
        HeldTensor(query), HeldTensor(key), HeldTensor(value), HeldTensor(output), first.scale, visible, first.kernel,
        first.soft_cap, bias, None if first.sink is None else first.sink.double().cpu().numpy(), first.dropout,
        first.softmax_dtype, tuple(dict.fromkeys(note for one in calls for note in one.notes)),
        first.off, first.weights_set,
    )  # fmt: skip


def written_over(layer: Layer) -> bool:
    """Whether the model wrote over something that was kept, after its kernel had read it."""
    return any(step.versions != versions(step.call) for step in layer.steps)


def versions(call: Call) -> tuple[int, ...]:
    """How often each tensor of a call has been written to."""
    return tuple(version_of(one) for one in (call.query, call.key, call.value, call.output))


def _joined(parts: list[torch.Tensor], axis: int) -> torch.Tensor:
    return parts[0] if len(parts) == 1 else torch.cat(parts, axis)


def _together(layer: Layer, keys: int) -> tuple[Visible, Bias | None]:
    """The masks of the steps below one another, each over the keys that there were at its time, and their biases."""
    begins = list(_begins(layer))
    parts = [step.visible for step in layer.steps]
    visible = layer.joints.visible(parts, begins, keys)
    if all(step.bias is None for step in layer.steps):
        return visible, None
    return visible, biases_below([(step.visible, step.bias) for step in layer.steps], begins, keys)


def _begins(layer: Layer) -> Iterator[int]:
    """How many keys lie before those of each step.

    A cache of a window hands over its last keys only: those of a step end where its own queries end.
    """
    # a cache of a window may hand over the last keys only in the first step already
    first = layer.steps[0].call
    missing = max(0, first.query.shape[2] - first.key.shape[2])
    done = before = 0
    for step in layer.steps:
        done += step.call.query.shape[2]
        if layer.in_parts:
            yield before
            before += step.call.key.shape[2]
        else:
            yield 0 if layer.cross else max(0, done - missing - step.visible.pattern(0, 0).keys)
