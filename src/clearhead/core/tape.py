"""The plain record of a computation: every value, the operation that made it, and of what."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from clearhead.core.ops import Operation


@dataclass(frozen=True, eq=False)
class Value:
    """One named array of a computation.

    Attributes:
        name: unique within its computation, such as "scores".
        axes: the name of each axis.
        values: float64.
        operation: what made it; None if it was given.
        inputs: the values the operation was given, in order.
    """

    name: str
    axes: tuple[str, ...]
    values: np.ndarray
    operation: Operation | None = None
    inputs: tuple[Value, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis."""
        return self.values.shape


@dataclass
class Tape:
    """A `core.attention.Step` that keeps what is needed to go backwards, and nothing more.

    `clearhead.trace.trace.Recorder` keeps recipes as well; this is what training runs on.
    """

    values: list[Value] = field(default_factory=list)

    def given(self, name: str, axes: tuple[str, ...], values: np.ndarray) -> Value:
        """Keep an array that was given, not made."""
        return self._keep(Value(name, axes, values))

    def __call__(self, name: str, operation: Operation, *inputs: Value) -> Value:
        """Do one step and keep its result."""
        values = operation.forward(*(given.values for given in inputs))
        return self._keep(Value(name, operation.axes, values, operation, inputs))

    def _keep(self, value: Value) -> Value:
        self.values.append(value)
        return value
