"""A capture taken apart into arrays and JSON-able data; `assembling` puts it together again."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from clearhead.trace.capture.attention import Attention
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.held import Held
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.visible import Named, Pattern

if TYPE_CHECKING:
    from clearhead.trace.capture.overview import LayerOverview

TENSORS = ("query", "key", "value", "output")

APART = {
    Attention: {*TENSORS, "visible", "bias", "sink"},
    Layer: {"attention", "beneath", "named"},
    Capture: {"layers", "texts", "changes", "grids", "overviews", "compared", "traces"},
}  # fmt: skip
"""The fields of each that are not simply JSON-able data."""

Facts = dict[str, Any]


@dataclass
class Description:
    """All arrays of a capture by name, each once, and everything else about it."""

    arrays: dict[str, Held] = field(default_factory=dict)
    facts: Facts = field(default_factory=dict)
    _known: dict[Any, str] = field(default_factory=dict)
    _masks: dict[Any, int] = field(default_factory=dict)

    @classmethod
    def of(cls, capture: Capture, below: bool = True) -> Description:
        """Take a capture apart; without what lies around the heads if that is not wanted."""
        made = cls.around(capture)
        made.facts["masks"] = []
        made.facts["layers"] = [
            made._layer(layer, below, capture.overviews.get(layer.label)) for layer in capture.layers
        ]
        return made

    @classmethod
    def around(cls, capture: Capture) -> Description:
        """What a capture is beside its layers' numbers, which lie elsewhere."""
        made = cls()
        made.facts |= _plain(capture)
        made.facts["texts"] = {
            name: [[token.as_dict() for token in row] for row in rows] for name, rows in capture.texts.items()
        }
        made.facts["changes"] = [change.data() for change in capture.changes]
        made.facts["grids"] = {name: asdict(grid) for name, grid in capture.grids.items()}
        made.facts["layers"] = [_plain(layer) for layer in capture.layers]
        return made

    @classmethod
    def of_attention(cls, attention: Attention) -> Description:
        """Take one layer's attention apart, which is to be a file of its own."""
        made = cls(facts={"masks": [], "overview": None})
        made.facts["attention"] = made._attention("", attention)
        return made

    def with_overview(self, overview: LayerOverview) -> None:
        """Keep the overview of that one layer, too."""
        self.facts["overview"] = self._overview("", overview)

    def _overview(self, prefix: str, overview: LayerOverview) -> Facts:
        return {
            name: self._keep(f"{prefix}overview.{name}", held) for name, held in overview.arrays().items()
        }

    def _layer(self, layer: Layer, below: bool, overview: LayerOverview | None) -> Facts:
        attention = layer.attention
        facts = _plain(layer) | {"attention": None, "below": None, "overview": None}
        if attention is not None:
            facts["attention"] = self._attention(f"{layer.label}.", attention)
        if overview is not None:
            facts["overview"] = self._overview(f"{layer.label}.", overview)
        if below and attention is not None:
            arrays, about = layer.below.arrays()
            names = {name: self._keep(f"{layer.label}.below.{name}", held) for name, held in arrays.items()}
            facts["below"] = {"arrays": names, "facts": about}
        return facts

    def _attention(self, prefix: str, attention: Attention) -> Facts:
        facts = _plain(attention)
        for name in TENSORS:
            facts[name] = self._keep(f"{prefix}{name}", getattr(attention, name))
        facts["visible"] = [
            [self._mask(pattern) for pattern in heads] for heads in attention.visible.patterns
        ]
        facts["bias"] = facts["sink"] = None
        if (bias := attention.bias) is not None:
            values = self._keep(f"{prefix}bias", bias.values)
            facts["bias"] = {"values": values, "by_distance": bias.by_distance, "queries": bias.queries}
        if attention.sink is not None:
            facts["sink"] = self._keep(f"{prefix}sink", attention.sink)
        return facts

    def _mask(self, pattern: Pattern) -> int:
        """The number of a mask; the layers, sequences and heads that have the same one share it."""
        name = f"mask{len(self._masks)}"
        facts: Facts = {"keys": pattern.keys}
        if isinstance(pattern, Named):
            facts |= {"name": pattern.name, "queries": pattern.queries}
        else:
            facts |= {
                part: self._keep(f"{name}.{part}", getattr(pattern, part)) for part in ("row", "start", "end")
            }
        known = tuple(facts.items())
        if known not in self._masks:
            self._masks[known] = len(self._masks)
            self.facts["masks"].append(facts)
        return self._masks[known]

    def _keep(self, name: str, held: Held) -> str:
        """The name that an array is kept under: this one, or that of the same array."""
        known = _fingerprint(held) if isinstance(held, np.ndarray) else id(held)
        if known not in self._known:
            while name in self.arrays:
                name += "_"
            self._known[known] = name
            self.arrays[name] = held
        return self._known[known]


def _fingerprint(values: np.ndarray) -> Any:
    """What two arrays share only if they are alike in every bit."""
    whole = np.ascontiguousarray(values)
    return str(whole.dtype), whole.shape, hashlib.blake2b(whole.reshape(-1).view(np.uint8).data).digest()


def _plain(thing: Any) -> Facts:
    """The fields that are JSON-able data."""
    apart = APART[type(thing)]
    return {part.name: getattr(thing, part.name) for part in fields(thing) if part.name not in apart}
