"""A capture put together again from the arrays and JSON-able data that `describing` made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from clearhead.trace.capture.agreement import LayerAgreement
from clearhead.trace.capture.attention import Attention, Bias
from clearhead.trace.capture.below import PARTS, Below
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.change import Change
from clearhead.trace.capture.describing import APART, TENSORS, Facts
from clearhead.trace.capture.grid import Grid
from clearhead.trace.capture.held import Held
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.token import Token
from clearhead.trace.capture.visible import KeptRuns, Named, Pattern, Visible

if TYPE_CHECKING:
    from clearhead.trace.capture.overview import LayerOverview

LEFT_OUT = dict.fromkeys(PARTS, "What lies below its queries, keys and values was left out of the file.")


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
