"""How far two runs of the same model may lie apart by rounding alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite, sqrt
from numbers import Real

from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.held import EPSILON
from clearhead.trace.capture.layer import Layer

LONG, SHORT = 64.0, 16.0
"""Roundings by which a row of numbers may be off in the first layer; √(layers so far) times as many later, as errors
add up that have nothing to do with each other. Of a short format, such as bfloat16, there are fewer: its products are
added up in float32, and only their sum is rounded to it; float32 and float64 round after every term.

Measured on two real models, of 30 and 6 layers: two kernels in float32 and in bfloat16, and a copy in bfloat16, stay
within two fifths of it (`docs/compare.md`).
"""

PROJECTED = 2.0
"""How many times as far off, relative to their length, Q, K and V may be as what they are made of: what a projection
takes away of a row makes the rest of its difference larger beside what is left."""


@dataclass(frozen=True)
class Tolerance:
    """The largest relative difference of a row that counts as none.

    Attributes:
        formats: of the two captures, the coarsest that their numbers are kept in.
        given: what a person says it is instead, at any depth; None: 64 roundings of the coarser format in the first
            layer, 16 of one shorter than float32, and √2, √3 ... times as many in those after it.
    """

    formats: tuple[str, str]
    given: float | None = None

    @classmethod
    def of(cls, a: Capture, b: Capture, given: float | None = None) -> Tolerance:
        """That of two captures.

        Raises:
            ValueError: what is given is no finite number from 0 on.
        """
        if given is not None and (
            isinstance(given, bool) or not isinstance(given, Real) or not (isfinite(given) and given >= 0)
        ):
            raise ValueError(f"tolerance: expected a finite number from 0 on, got {given!r}")
        return cls((coarsest(a), coarsest(b)), None if given is None else float(given))

    @property
    def format(self) -> str:
        """The coarser of the two."""
        return max(self.formats, key=EPSILON.__getitem__)

    def at(self, depth: int) -> float:
        """Of the row that enters the layer which so many others ran before."""
        if self.given is not None:
            return self.given
        times = LONG if EPSILON[self.format] <= EPSILON["float32"] else SHORT
        return times * sqrt(depth + 1) * EPSILON[self.format] / 2

    def projected(self, depth: int) -> float:
        """Of a row of Q, K or V in that layer."""
        return self.at(depth) if self.given is not None else PROJECTED * self.at(depth)

    @property
    def says(self) -> str:
        """What it is, as a sentence."""
        if self.given is not None:
            return f"Tolerance, as given: {self.given:.1e} of a row's length."
        formats = " and ".join(dict.fromkeys(self.formats))
        return (
            f"Tolerance, from {formats}: {self.at(0):.1e} of a row's length in the first layer, √2, √3 ... times that "
            f"in those after it; for Q, K and V {PROJECTED:g} times that."
        )


def coarsest(capture: Capture) -> str:
    """The coarsest format of all that entered and left a capture's attention, and of its layers' inputs."""
    return max(
        {one for layer in capture.attentions() for one in _formats(layer)},
        key=EPSILON.__getitem__,
        default="float64",
    )


def _formats(layer: Layer) -> Iterator[str]:
    attention = layer.attention
    assert attention is not None  # attentions() gives no other
    for held in (attention.query, attention.key, attention.value, attention.output):
        yield str(held.dtype)
    if attention.softmax_dtype:
        yield attention.softmax_dtype
    for projection in layer.below.projections.values():
        if str(projection.hidden.dtype) in EPSILON:
            yield str(projection.hidden.dtype)
