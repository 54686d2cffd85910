"""Switches on the study model: the same that a model of transformers has, made in its own steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from clearhead.core.ops import Operation
from clearhead.sources.worked.matrices import ExampleError
from clearhead.sources.worked.study.model import Model
from clearhead.trace.capture.change import Change

Arrays = dict[str, np.ndarray]

REPLACED = {"scale": "scaled", "mask": "masked"}
"""The step that hands its input on when its switch is off."""


@dataclass
class Changing:
    """A `core.attention.Step` that keeps everything by its name, and does some of it otherwise."""

    changes: tuple[Change, ...] = ()
    made: Arrays = field(default_factory=dict)

    def __call__(self, name: str, operation: Operation, *inputs: np.ndarray) -> np.ndarray:
        """Do one step, with what is to be otherwise."""
        scope, _, bare = name.rpartition(".")
        values = operation.forward(*inputs)
        for change in self.changes:
            if change.layer is None or scope == f"layer{change.layer}":
                values = _changed(bare, values, inputs[0] if inputs else values, change)
        self.made[name] = values
        return values


def _changed(bare: str, values: np.ndarray, given: np.ndarray, change: Change) -> np.ndarray:
    """What a step makes with one switch thrown; `given` is what it was made of."""
    if REPLACED.get(change.kind) == bare:
        return given
    if change.kind == "off" and bare == "mixed":
        values = values.copy()
        values[slice(None) if change.head is None else change.head] = 0.0
    if change.kind == "weight" and bare == "weights":
        values = values.copy()
        for head, query, key, weight in weights_set([change]):
            if query < values.shape[1] and key < values.shape[2]:  # the model may get there later by itself
                values[head, query, key] = weight
    return values


def weights_set(changes: Sequence[Change]) -> Iterator[tuple[int, int, int, float]]:
    """(head, query, key, weight) of the weights that are set by hand."""
    for one in changes:
        if one.kind == "weight" and None not in (one.head, one.query, one.key, one.value):
            yield one.head, one.query, one.key, float(one.value)  # type: ignore[misc,arg-type]  # none of them is None


def check_changes(changes: Sequence[Change], model: Model, length: int) -> None:
    """Every change names what is there.

    Raises:
        ExampleError: one does not.
    """
    sizes = {"layer": model.config["layers"], "head": model.config["heads"], "query": length, "key": length}
    for change in changes:
        if change.tower:
            raise ExampleError(
                "changes", f"{str(change)!r}: the study model has one tower, which has no name"
            )
        for name, size in sizes.items():
            number = getattr(change, name)
            if number is not None and number >= size:
                raise ExampleError(
                    "changes", f"{str(change)!r}: there is no {name} {number}; expected 0 to {size - 1}"
                )
