"""From a layer's input to one head's Q, K and V, and from what the head mixed to what it adds, step by step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from clearhead.core.axes import FEATURE, KEY, MODEL, PAIR, POSITION, QUERY
from clearhead.core.ops import Add, Average, Contract, Normalise, RotateBy, ScaleBy, ScaleByRoot
from clearhead.trace.capture.below import Below, Norm, Projection, columns_of
from clearhead.trace.capture.held import Held, precise
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Recorder

if TYPE_CHECKING:
    from clearhead.trace.capture.attention import Attention

ROLES = {"Q": QUERY, "K": KEY, "V": KEY}


@dataclass
class Way:
    """Records the way of one head from the layer's input; what several parts share is recorded once.

    Attributes:
        step: keeps every quantity.
        below: what is proven.
        batch: the sequence.
        alike: whether queries and keys are the same positions.
        query: the one query whose way is recorded, beside that of all keys; None: every query's.
    """

    step: Recorder
    below: Below
    batch: int
    alike: bool
    query: int | None = None
    _hidden: list[tuple[Held, Quantity]] = field(default_factory=list)
    _turns: tuple[Quantity, ...] = ()

    def part(self, name: str, held: Held, head: int) -> Quantity:
        """Q, K or V of one head: made of the layer's input where that is proven, or else as it was captured.

        A model computes in its own format. What that rounded off is a quantity too, so that the numbers made here in
        float64 end in exactly those which the model's kernel was given.
        """
        axes, rows, origin = (ROLES[name], FEATURE), *self._rows(name)
        captured = precise(held, self.batch, head, rows)
        if name not in self.below.projections:
            return self.step.given(name, axes, captured, origin)
        made = self._made(name, self.below.projections[name], head)
        rounding = self.step.given(f"{name}_rounding", axes, captured - made.values, origin)
        return self.step(name, Add(axes), made, rounding)

    def _rows(self, name: str) -> tuple[slice, tuple[int | None, ...]]:
        """Which rows of a part are recorded, and the origin of what has them as its first of two axes."""
        if name != "Q" or self.query is None:
            return slice(None), ()
        return slice(self.query, self.query + 1), (self.query, None)

    def _cut(self, name: str, whole: Quantity) -> Quantity:
        """Of what the keys have in full the rows that a part is made of."""
        rows, origin = self._rows(name)
        return whole.rows(rows.start, rows.stop) if origin and not whole.origin else whole

    def _made(self, name: str, one: Projection, head: int) -> Quantity:
        """The input times the head's columns, with what comes after: bias, factor, norm, turn."""
        step, columns = self.step, one.columns[head]
        place = POSITION if self.alike else ROLES[name]
        axes = (place, FEATURE)
        hidden = self._given(name, one.hidden, place)
        weight = step.given(f"W_{name}", (MODEL, FEATURE), columns_of(one.weight, slice(None), columns))
        x = step(f"XW_{name}", Contract(axes, hidden.axes, weight.axes), hidden, weight)
        if one.bias is not None:
            bias = step.given(f"b_{name}", (FEATURE,), columns_of(one.bias, columns))
            x = step(f"XW_{name}_biased", Add(axes, (axes, (FEATURE,))), x, bias)
        if one.factor != 1:
            x = step(f"{name}_scaled", _scaling(axes, one.factor, len(columns)), x)
        if one.norm is not None:
            x = self._normed(name, one.norm, head, x)
        if one.rotated:
            turns = (self._cut(name, turn) for turn in self._turned(place))
            x = step(f"{name}_rotated", RotateBy(axes, one.pairs, one.rotated), x, *turns)
        return x

    def _given(self, name: str, held: Held, place: str) -> Quantity:
        """The input, under its own name if another part has another one; no more of it than the parts need."""
        for known, quantity in self._hidden:
            if known is held:
                return self._cut(name, quantity)
        called = f"hidden_{name}" if self._hidden else "hidden"
        others = (one.hidden for part, one in self.below.projections.items() if part != name)
        rows, origin = (slice(None), ()) if any(one is held for one in others) else self._rows(name)
        quantity = self.step.given(called, (place, MODEL), precise(held, self.batch, rows), origin)
        self._hidden.append((held, quantity))
        return self._cut(name, quantity)

    def _normed(self, name: str, norm: Norm, head: int, x: Quantity) -> Quantity:
        step, axes = self.step, x.axes
        mean = (step(f"{name}_mean", Average(axes[:1], axes[1]), x),) if norm.centred else ()
        x = step(f"{name}_standardised", Normalise(axes, norm.centred, norm.epsilon), x, *mean)
        own = head if len(norm.gain) > 1 else 0
        gain = step.given(f"gain_{name}", (FEATURE,), norm.gain[own])
        x = step(f"{name}_normed", Contract(axes, axes, (FEATURE,)), x, gain)
        if norm.bias is None:
            return x
        shift = step.given(f"shift_{name}", (FEATURE,), norm.bias[own])
        return step(f"{name}_shifted", Add(axes, (axes, (FEATURE,))), x, shift)

    def _turned(self, place: str) -> tuple[Quantity, ...]:
        """The cosines and sines, given once."""
        if not self._turns:
            cos, sin = self.below.cos, self.below.sin
            assert cos is not None  # a projection that turns has them
            assert sin is not None
            own = self.batch if len(cos) > 1 else 0
            self._turns = tuple(
                self.step.given(name, (place, PAIR), one[own]) for name, one in (("cos", cos), ("sin", sin))
            )
        return self._turns

    def output(self, attention: Attention, mixed: Quantity, head: int) -> None:
        """What the head adds to the layer's output, where the matrix that the heads go through is known."""
        if self.below.W_O is None:
            return
        weight = self.step.given("W_O", (FEATURE, MODEL), output_rows(attention, self.below.W_O, head))
        self.step("output", Contract((QUERY, MODEL), mixed.axes, weight.axes), mixed, weight)


def output_rows(attention: Attention, W_O: Held, head: int) -> np.ndarray:
    """(d_value, d_model) the rows of W_O that one head's values go through, float64."""
    width = attention.output.shape[3]
    return precise(W_O, slice(head * width, (head + 1) * width))


def _scaling(axes: tuple[str, ...], factor: float, width: int) -> ScaleBy | ScaleByRoot:
    if factor == width**-0.5:
        return ScaleByRoot(axes, width, "d_head", divide=True)
    return ScaleBy(axes, factor, "scale", divide=False)
