"""What lies below a layer's Q, K and V, and above what its heads mixed: its input, and the matrices on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clearhead.trace.capture.held import Held, precise

PARTS = ("Q", "K", "V")
"""What a layer makes of its input."""


@dataclass(frozen=True, eq=False)
class Norm:
    """A norm of each head's features, between projection and turn (Henry et al. 2020, Query-Key Normalization).

    Attributes:
        gain: (1 or heads, width) what the normed numbers are multiplied by.
        bias: the same shape, what is added then, or None.
        epsilon: see `clearhead.core.ops.Normalise`.
        centred: whether it is a layer norm; an RMS norm otherwise.
    """

    gain: np.ndarray
    bias: np.ndarray | None
    epsilon: float
    centred: bool


@dataclass(frozen=True, eq=False)
class Projection:
    """How Q (or K, or V) came from the layer's input: hidden W + b, then a factor or a norm, then a turn by position.

    Attributes:
        hidden: (sequences, positions, d_model) what the projection was given.
        weight: (d_model, columns), the model's own; a fused projection has the columns of Q, K and V.
        bias: (columns,) or None.
        columns: (heads, width) whole numbers: the column that makes each feature of each head.
        factor: what the product is multiplied by, 1 for nothing.
        norm: the norm after it, or None.
        rotated: how many features of a head are turned by position, see `clearhead.core.ops.RotateBy`; 0 for none.
        pairs: which of them are turned together: "halves" or "interleaved"; "" for none.
    """

    hidden: Held
    weight: Held
    bias: Held | None
    columns: np.ndarray
    factor: float = 1.0
    norm: Norm | None = None
    rotated: int = 0
    pairs: str = ""


@dataclass(frozen=True, eq=False)
class Below:
    """What is proven of the arithmetic around one layer's heads; what is not proven is left out, and `why` says so.

    Attributes:
        projections: by part ("Q", "K", "V"), those that give what entered the dot product.
        cos, sin: (sequences or 1, positions, rotated / 2) the turns, in float64, if Q and K are turned; found from the
            numbers themselves (see `clearhead.sources.models.below_turns`), or None.
        W_O: (heads * d_value, d_model) the matrix that the mixed values of all heads go through, or None.
        why: one sentence for each part that is missing: {"Q": "its query passes a norm that is not followed here"}.
    """

    projections: Mapping[str, Projection] = field(default_factory=dict)
    cos: np.ndarray | None = None
    sin: np.ndarray | None = None
    W_O: Held | None = None
    why: Mapping[str, str] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """Why a head's trace does not begin at the layer's input, or nothing if it does."""
        return " ".join(dict.fromkeys(self.why[part] for part in PARTS if part in self.why))

    def arrays(self) -> tuple[dict[str, Held], dict[str, Any]]:
        """All arrays by name, each once, and the rest as JSON-able data; `from_arrays` takes both."""
        named: dict[str, Held] = {}
        facts: dict[str, Any] = {"why": dict(self.why), "projections": {}}
        for part, one in self.projections.items():
            facts["projections"][part] = _written(named, part, one)
        for name in ("cos", "sin", "W_O"):
            facts[name] = _named(named, name, getattr(self, name))
        return named, facts

    @staticmethod
    def from_arrays(named: Mapping[str, Held], facts: Mapping[str, Any]) -> Below:
        """What `arrays` took apart."""
        projections = {part: _read(named, one) for part, one in facts["projections"].items()}
        cos, sin = (
            None if facts[name] is None else np.asarray(named[facts[name]][...]) for name in ("cos", "sin")
        )
        return Below(projections, cos, sin, named.get(facts["W_O"] or ""), dict(facts["why"]))


def columns_of(held: Held, *index: Any) -> np.ndarray:
    """A part in float64; the last of the index are places along the last axis, read at once if they are neighbours."""
    *before, places = index
    first = int(places[0])
    alongside = np.array_equal(places, np.arange(first, first + len(places)))
    return precise(held, *before, slice(first, first + len(places)) if alongside else places)


def _named(named: dict[str, Held], name: str, held: Held | None) -> str | None:
    """The name under which an array is kept: the one it has already, or this."""
    if held is None:
        return None
    known = next((other for other, one in named.items() if one is held), name)
    named[known] = held
    return known


def _written(named: dict[str, Held], part: str, one: Projection) -> dict[str, Any]:
    names = {
        name: _named(named, f"{name}_{part}", getattr(one, name))
        for name in ("hidden", "weight", "bias", "columns")
    }
    norm = None
    if one.norm is not None:
        norm = {
            "gain": _named(named, f"gain_{part}", one.norm.gain),
            "bias": _named(named, f"shift_{part}", one.norm.bias),
            "epsilon": one.norm.epsilon,
            "centred": one.norm.centred,
        }
    return {**names, "factor": one.factor, "norm": norm, "rotated": one.rotated, "pairs": one.pairs}


def _read(named: Mapping[str, Held], facts: Mapping[str, Any]) -> Projection:
    def whole(name: str | None) -> np.ndarray | None:
        return None if name is None else np.asarray(named[name][...])

    columns, norm = whole(facts["columns"]), None
    assert columns is not None  # every projection has them
    if facts["norm"] is not None:
        gain = whole(facts["norm"]["gain"])
        assert gain is not None
        norm = Norm(gain, whole(facts["norm"]["bias"]), facts["norm"]["epsilon"], facts["norm"]["centred"])
    return Projection(
        named[facts["hidden"]], named[facts["weight"]], named.get(facts["bias"] or ""), columns, facts["factor"],
        norm, facts["rotated"], facts["pairs"],
    )  # fmt: skip
