"""A trace: the ordered quantities of one computation, and the recorder that makes it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from clearhead.core.backward import backward
from clearhead.core.names import gradient_of, taken_apart
from clearhead.core.ops import Operation
from clearhead.core.optimise import Optimiser, update
from clearhead.trace.nearest import meant, nearest
from clearhead.trace.quantity import Quantity, origin_of
from clearhead.trace.shown import Shown
from clearhead.trace.words import NO_WORDS, Words

if TYPE_CHECKING:
    from pathlib import Path


MOST_LISTED = 40
"""Quantities that a message lists, of more it names those that are meant most likely; tokens that `repr` shows."""


class Trace(Shown, Mapping[str, Quantity]):
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
        keys = self.provenance.get("keys")
        self._words = Words(self.tokens, self.vocabulary, None if keys is None else tuple(keys))
        for quantity in self._quantities.values():
            if (
                quantity.words == NO_WORDS
            ):  # the one thing about a quantity that is known only when all are there
                object.__setattr__(quantity, "words", self._words)

    def __getitem__(self, name: str) -> Quantity:
        """The quantity of that name.

        Raises:
            KeyError: names the quantities there are.
        """
        try:
            return self._quantities[name]
        except KeyError:
            raise KeyError(f"no quantity named {name!r}; {self.instead_of(name)}") from None

    def instead_of(self, name: object) -> str:
        """What there is instead of a quantity of that name: those named most like it, and all if there are few."""
        bare = str(name).rpartition(".")[2]
        alike = [*nearest(name, self), *(one for one in self if taken_apart(one)[1] == bare)]
        if len(self) <= MOST_LISTED:
            return meant(alike, f"this trace has {', '.join(self)}")
        first = ", ".join(list(self)[: MOST_LISTED // 2])
        return meant(alike, "").strip() or f"this trace has {len(self)} quantities: {first} and so on"

    def __contains__(self, name: object) -> bool:
        return (
            name in self._quantities
        )  # Mapping's own would make up a message for every name that is not here

    def get(self, name: str, default: Any = None) -> Any:
        """The quantity of that name, or the default."""
        return self._quantities.get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._quantities)

    def __len__(self) -> int:
        return len(self._quantities)

    def words(self, axis: str) -> tuple[str, ...]:
        """The words along an axis, by place: of the sentence, of the vocabulary, or none.

        Where the keys are another text than the queries (cross-attention), `provenance["keys"]` has their words.
        """
        return self._words.along(axis)

    def consumers(self, name: str) -> Iterator[tuple[Quantity, int]]:
        """The quantities made directly from this one, each with the input slot it has there."""
        for quantity in self.values():
            for slot, given in enumerate(quantity.inputs):
                if given.name == name:
                    yield quantity, slot

    def backward(self) -> Trace:
        """The trace with the gradient of the loss added, of every activation and every parameter: dlogits ... dE.

        Each gradient is a quantity like any other, with recipes; see `core.backward.backward` for their names.

        Raises:
            ValueError: the trace has no loss to go back from; the message says why.
        """
        if "loss" not in self:
            raise ValueError(
                "this trace has no loss: it needs a model that goes on to the next word, and at least two words"
            )
        step = Recorder()
        backward(step, list(self.values()), self["loss"])
        return self._with(step)

    def update(
        self, optimiser: Optimiser | str, memory: Mapping[str, np.ndarray] | None = None, steps: int = 0
    ) -> Trace:
        """The trace with one update of every parameter added: E_next, W_Q_next ..., and what they are made of.

        Args:
            optimiser: which update, see `clearhead.Optimiser`; or "sgd", "momentum" or "adamw" with its usual settings.
            memory: what the optimiser remembers from the update before, by name ("E_velocity", "E_m", "E_v"); what is
                missing is 0, as it is at first.
            steps: how many updates there were before.

        Raises:
            ValueError: the gradients are not there yet (call `backward` first), or there is no such optimiser.
        """
        if not isinstance(optimiser, Optimiser):
            optimiser = Optimiser(optimiser)
        moving = [one for name, one in self.items() if one.operation is None and gradient_of(name) in self]
        if not moving:
            raise ValueError("there are no gradients here; expected a trace from trace.backward()")
        step = Recorder()
        for parameter in moving:
            remembered = {
                name: step.given(name, parameter.axes, (memory or {}).get(name, np.zeros(parameter.shape)))
                for name in optimiser.remembers(parameter.name)
            }
            gradient = self[gradient_of(parameter.name)]
            update(step, parameter.name, parameter, gradient, remembered, optimiser, steps)
        return self._with(step)

    def _with(self, step: Recorder) -> Trace:
        """The trace with what was recorded after it."""
        return Trace([*self.values(), *step.quantities], self.tokens, self.vocabulary, self.provenance)

    def save(self, path: str | Path) -> None:
        """Write the trace to a file, exactly; `clearhead.load_trace` reads it back. See `clearhead.trace.wire`.

        Raises:
            OSError: the place cannot be written, or is no file; the message names it.
        """
        from clearhead.trace.wire import save_trace  # imported here because wire builds Traces

        save_trace(self, path)

    def figure(self, kind: str | Sequence[str] | None = None, **how: Any) -> Any:
        """Draw it for a paper or a slide: see `clearhead.figure`, which this is, of this trace."""
        # Surfaces stand above traces, which import none; what is public is found by its name, as everybody finds it.
        return sys.modules[__name__.partition(".")[0]].figure(self, kind, **how)

    def __repr__(self) -> str:
        """The sentence and the quantities, one a line."""
        rows = "\n".join(f"  {quantity!r}" for quantity in self.values())
        tokens = self.tokens
        first = " ".join(tokens[:MOST_LISTED])
        more = f" and {len(tokens) - MOST_LISTED} tokens more" if len(tokens) > MOST_LISTED else ""
        return f"Trace of {first!r}{more}\n{rows}"


@dataclass
class Recorder:
    """A `core.attention.Step` that keeps every quantity, with the operation and the inputs that made it.

    Attributes:
        quantities: what was kept, in order.
        finite: refuse what is too large for float64; not so where the numbers are a model's own, whatever they are.
    """

    quantities: list[Quantity] = field(default_factory=list)
    finite: bool = True

    def given(
        self, name: str, axes: tuple[str, ...], values: np.ndarray, origin: tuple[int | None, ...] = ()
    ) -> Quantity:
        """Keep an array that was given, not made; `origin` says where it begins if it is a part (see `Quantity`)."""
        return self._keep(Quantity(name, axes, np.array(values, dtype=np.float64), origin=origin))

    def __call__(self, name: str, operation: Operation, *inputs: Quantity) -> Quantity:
        """Do one step and keep its result.

        Raises:
            OverflowError: a result is too large for float64; the message names the first such cell.
        """
        with np.errstate(all="ignore"):  # what overflows is reported below, with its place
            values = np.asarray(operation.forward(*(given.values for given in inputs)), order="C")
        quantity = Quantity(
            name, operation.axes, values, operation, inputs, origin_of(operation.axes, inputs)
        )
        if self.finite:
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
        place = ",".join(map(str, quantity.named(tuple(np.argwhere(bad)[0].tolist()))))
        raise OverflowError(
            f"{quantity.name}[{place}]: a number in its arithmetic is too large for float64 (about 1.8e308); "
            "expected smaller numbers in the matrices that are given, and no division by almost nothing"
        )
