"""What one streaming pass over every head of a layer leaves: its map made small, and what its rows do, in numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from clearhead.core.stream.layout import BINS
from clearhead.trace.capture.failing import CaptureError
from clearhead.trace.capture.held import Held

if TYPE_CHECKING:
    from clearhead.trace.capture.layer import Layer
    from clearhead.trace.capture.parts import Parts

ROWS = ("entropy", "spread", "first", "previous", "next", "induction", "duplicate", "distance", "sink")
"""What is known of every row; `clearhead.head_statistics` says what each is."""

MOST_BINS = 4096

WHOLE = ("lse", "mean", "largest", "histogram", "edges")


@dataclass(frozen=True, eq=False, repr=False)
class LayerOverview:
    """Every head of a layer. All arrays but `edges` have (sequences, heads) in front.

    Attributes:
        lse: (..., queries) float64 the log-sum-exp of each row, natural: a weight is e^(score − lse). −∞ where a query
            sees nothing, NaN where numbers are not finite.
        rows: by name (see `ROWS`) (..., queries) float32, or float64 of a short text; NaN where it is not defined.
        mean: (..., bins, bins) the weights pooled by their mean: bin r is about the queries from r Q // bins on, and
            column c about the keys from c K // bins on. A side shorter than `bins` has one for each position.
        largest: (..., bins, bins) the same, pooled by their maximum: a mean hides a single large weight.
        histogram: (..., classes) float64 the mean share that queries give to keys at a distance of each class.
        edges: (classes + 1,) the edges of those classes, of query − key; what is below 0 lies ahead. Empty where
            queries and keys are not the same tokens.
    """

    lse: Held
    rows: Mapping[str, Held]
    mean: Held
    largest: Held
    histogram: Held
    edges: np.ndarray

    def __repr__(self) -> str:
        """How much it is of."""
        sequences, heads, queries = self.lse.shape
        return f"LayerOverview of {heads} heads, {queries} queries, {sequences} sequences, {self._bins} bins"

    @property
    def _bins(self) -> str:
        return " × ".join(map(str, self.mean.shape[2:]))

    def score(self, name: str, batch: int, head: int) -> float | None:
        """The mean over the queries for which it is defined; None if there is none."""
        values = np.asarray(self.rows[name][batch, head], dtype=np.float64)
        known = values[~np.isnan(values)]
        return float(known.mean()) if len(known) else None

    def arrays(self) -> dict[str, Held]:
        """All of it by name, to be kept."""
        return {name: getattr(self, name) for name in WHOLE} | {
            f"rows.{name}": held for name, held in self.rows.items()
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Held]) -> LayerOverview:
        """What `arrays` gave, read again.

        Raises:
            LookupError: something is missing.
        """
        parts = {name: arrays[name] for name in WHOLE}
        parts["edges"] = np.asarray(arrays["edges"][...])
        return cls(rows={name: arrays[f"rows.{name}"] for name in ROWS}, **parts)  # type: ignore[arg-type]


@dataclass(eq=False, repr=False)
class Overview:
    """The overview of a capture: every layer's is worked out when it is first asked for, and kept.

    Attributes:
        capture: of which.
        bins: along each side of a head's pooled square, at most.
        made: those that are there already, by the label of their layer.
    """

    capture: Parts
    bins: int
    made: dict[str, LayerOverview] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Of what."""
        return f"Overview of {self.capture!r}, at most {self.bins} bins along each side"

    def of(self, layer: Layer, tell: Callable[[int, int], None] | None = None) -> LayerOverview:
        """That of one layer.

        Args:
            layer: an attention layer of the capture.
            tell: called with the heads that are done and how many there are.
        """
        from clearhead.trace.capture.streamed import layer_overview  # with the first use: it compiles

        if layer.label not in self.made:
            assert layer.attention is not None  # an attention layer
            self.made[layer.label] = layer_overview(
                layer.attention, self.capture.positions(layer), self.bins, tell=tell
            )
        return self.made[layer.label]

    def layer(self, number: int, tower: str | None = None) -> LayerOverview:
        """That of one layer, by its number.

        Raises:
            LookupError: there is no such layer.
        """
        return self.of(self.capture.layer(number, tower))


def read_bins(overview: bool | int | None, store: Any) -> int:
    """The bins of the overviews that are asked for; 0 for none.

    Raises:
        CaptureError: it is no such number.
    """
    if overview is None:
        overview = store is not None
    if isinstance(overview, bool):
        return BINS if overview else 0
    if not isinstance(overview, Integral) or not 1 <= overview <= MOST_BINS:
        raise CaptureError(
            f"overview: expected True, False, or how many bins along each side from 1 to {MOST_BINS}, got {overview!r}"
        )
    return int(overview)
