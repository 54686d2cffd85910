"""A trace: the ordered quantities of one computation, and the recorder that makes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from clearhead.core.ops import Operation
from clearhead.trace.quantity import Quantity

if TYPE_CHECKING:
    from pathlib import Path


class Trace(Mapping[str, Quantity]):
    """Every quantity of one computation, in the order in which it was made; `trace["weights"].values` is an array.

    Attributes:
        tokens: the words of the sentence, by position.
        vocabulary: the words of E's rows.
        provenance: where it comes from, as JSON-able data (an example's name and settings, versions).
    """

    def __init__(
        self,
        quantities: Iterable[Quantity],
        tokens: Iterable[str],
        vocabulary: Iterable[str] = (),
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        self._quantities = {quantity.name: quantity for quantity in quantities}
        self.tokens = tuple(tokens)
        self.vocabulary = tuple(vocabulary)
        self.provenance = dict(provenance or {})

    def __getitem__(self, name: str) -> Quantity:
        """The quantity of that name.

        Raises:
            KeyError: names the quantities there are.
        """
        try:
            return self._quantities[name]
        except KeyError:
            raise KeyError(f"no quantity named {name!r}; this trace has {', '.join(self)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._quantities)

    def __len__(self) -> int:
        return len(self._quantities)

    def consumers(self, name: str) -> Iterator[tuple[Quantity, int]]:
        """The quantities made directly from this one, each with the input slot it has there."""
        for quantity in self.values():
            for slot, given in enumerate(quantity.inputs):
                if given.name == name:
                    yield quantity, slot

    def save(self, path: str | Path) -> None:
        """Write the trace to a file, exactly; `clearhead.load_trace` reads it back. See `clearhead.trace.wire`."""
        from clearhead.trace.wire import save_trace  # imported here because wire builds Traces

        save_trace(self, path)

    def __repr__(self) -> str:
        """The sentence and the quantities, one a line."""
        rows = "\n".join(f"  {quantity!r}" for quantity in self.values())
        return f"Trace of {' '.join(self.tokens)!r}\n{rows}"


@dataclass
class Recorder:
    """A `core.attention.Step` that keeps every quantity, with the operation and the inputs that made it."""

    quantities: list[Quantity] = field(default_factory=list)

    def given(self, name: str, axes: tuple[str, ...], values: np.ndarray) -> Quantity:
        """Keep an array that was given, not made."""
        return self._keep(Quantity(name, axes, np.array(values, dtype=np.float64)))

    def __call__(self, name: str, operation: Operation, *inputs: Quantity) -> Quantity:
        """Do one step and keep its result.

        Raises:
            OverflowError: a result is too large for float64; the message names the first such cell.
        """
        with np.errstate(all="ignore"):  # what overflows is reported below, with its place
            values = np.ascontiguousarray(operation.forward(*(given.values for given in inputs)))
        quantity = Quantity(name, operation.axes, values, operation, inputs)
        _refuse_overflow(quantity)
        return self._keep(quantity)

    def _keep(self, quantity: Quantity) -> Quantity:
        quantity.values.flags.writeable = False
        self.quantities.append(quantity)
        return quantity


def _refuse_overflow(quantity: Quantity) -> None:
    """A number that is not finite is a mistake, unless it is the −∞ of a mask."""
    bad = ~np.isfinite(quantity.values)
    if quantity.operation is not None:
        hidden = quantity.operation.hidden(*(given.values for given in quantity.inputs))
        bad &= True if hidden is None else ~hidden
    if bad.any():
        place = ",".join(str(number) for number in np.argwhere(bad)[0])
        raise OverflowError(
            f"{quantity.name}[{place}]: a number in its arithmetic is too large for float64 (about 1.8e308); "
            "expected smaller numbers in E, P or the weight matrices"
        )
