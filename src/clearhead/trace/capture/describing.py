"""A capture taken apart into arrays and JSON-able data, and put together again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from clearhead.trace.capture.agreement import LayerAgreement
from clearhead.trace.capture.attention import Attention, Bias
from clearhead.trace.capture.below import PARTS, Below
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.change import Change
from clearhead.trace.capture.grid import Grid
from clearhead.trace.capture.held import Held
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.token import Token
from clearhead.trace.capture.visible import KeptRuns, Named, Pattern, Visible

if TYPE_CHECKING:
    from clearhead.trace.capture.overview import LayerOverview

TENSORS = ("query", "key", "value", "output")

APART = {
    Attention: {*TENSORS, "visible", "bias", "sink"},
    Layer: {"attention", "beneath"},
    Capture: {"layers", "texts", "changes", "grids", "overviews", "compared"},
}  # fmt: skip
"""The fields of each that are not simply JSON-able data."""

LEFT_OUT = dict.fromkeys(PARTS, "What lies below its queries, keys and values was left out of the file.")

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


def capture_of(facts: Facts, arrays: Mapping[str, Held]) -> Capture:
    """The capture that was taken apart.

    Raises:
        LookupError, TypeError, ValueError or AttributeError: the data does not describe one.
    """
    masks = [_pattern(one, arrays) for one in facts["masks"]]
    layers, overviews = [], {}
    for one in facts["layers"]:
        attention = None if one["attention"] is None else _attention_of(one["attention"], masks, arrays)
        below = one["below"]
        layer = layer_of(one, attention, None if below is None else partial(_below_of, below, arrays))
        layers.append(layer)
        if one.get("overview") is not None:
            overviews[layer.label] = _overview_of(one["overview"], arrays)
    return assembled(facts, layers, overviews)


def attention_of(facts: Facts, arrays: Mapping[str, Held]) -> tuple[Attention, LayerOverview | None]:
    """The attention and the overview of one layer that was taken apart alone.

    Raises:
        LookupError, TypeError, ValueError or AttributeError: the data does not describe one.
    """
    masks = [_pattern(one, arrays) for one in facts["masks"]]
    overview = None if facts["overview"] is None else _overview_of(facts["overview"], arrays)
    return _attention_of(facts["attention"], masks, arrays), overview


def assembled(
    facts: Facts,
    layers: Sequence[Layer],
    overviews: Mapping[str, LayerOverview],
    compared: Mapping[str, LayerAgreement] = MappingProxyType({}),
) -> Capture:
    """The capture of these layers.

    Raises:
        LookupError, TypeError, ValueError or AttributeError: the data does not describe one.
    """
    texts = {
        name: tuple(tuple(map(Token.from_dict, row)) for row in rows) for name, rows in facts["texts"].items()
    }
    made = Capture(
        tuple(layers), texts, changes=tuple(map(Change.read, facts["changes"])),
        grids={name: Grid(**one) for name, one in facts["grids"].items()}, overviews=overviews,
        compared=compared, **_given(Capture, facts, provenance=dict),
    )  # fmt: skip
    for layer in made.attentions():
        _check(made, layer)
    return made


def layer_of(facts: Facts, attention: Attention | None, beneath: Callable[[], Below] | None) -> Layer:
    """One layer with its attention, and with what lies below it if that was kept."""
    return Layer(attention=attention, beneath=beneath or partial(Below, why=LEFT_OUT), **_given(Layer, facts))


def _check(capture: Capture, layer: Layer) -> None:
    """The tokens of a layer are there, as many as it has queries and keys."""
    assert layer.attention is not None  # such layers have none
    sizes = (layer.attention.queries, layer.attention.keys)
    for batch in range(layer.attention.sequences):
        if tuple(map(len, capture.tokens_of(layer, batch))) != sizes:
            raise ValueError(f"{layer.label} has not as many tokens as positions")


def _given(kind: type, facts: Facts, **as_they_are: Callable[[Any], Any]) -> Facts:
    """The plain fields of a kind, lists made the tuples they were, unless a field says how."""
    names = (part.name for part in fields(kind) if part.name not in APART[kind])
    return {name: as_they_are.get(name, _tuples)(facts[name]) for name in names if name in facts}


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _pattern(facts: Facts, arrays: Mapping[str, Held]) -> Pattern:
    if "name" in facts:
        return Named(facts["name"], facts["queries"], facts["keys"])
    return KeptRuns(facts["keys"], {part: arrays[facts[part]] for part in ("row", "start", "end")})


def _below_of(facts: Facts, arrays: Mapping[str, Held]) -> Below:
    return Below.from_arrays({name: arrays[kept] for name, kept in facts["arrays"].items()}, facts["facts"])


def _overview_of(facts: Facts, arrays: Mapping[str, Held]) -> LayerOverview:
    from clearhead.trace.capture.overview import LayerOverview  # where there is one

    return LayerOverview.from_arrays({name: arrays[kept] for name, kept in facts.items()})


def _attention_of(facts: Facts, masks: list[Pattern], arrays: Mapping[str, Held]) -> Attention:
    bias = facts["bias"]
    query, key, value, output = (arrays[facts[name]] for name in TENSORS)
    return Attention(
        query=query,
        key=key,
        value=value,
        output=output,
        visible=Visible(tuple(tuple(masks[number] for number in heads) for heads in facts["visible"])),
        bias=None if bias is None else Bias(arrays[bias["values"]], bias["by_distance"], bias["queries"]),
        sink=None if facts["sink"] is None else arrays[facts["sink"]],
        **_given(Attention, facts),
    )
