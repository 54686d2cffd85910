"""The towers of a captured model as data: their tokens, and what each layer is."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from clearhead.lenses.overview.thumbnails import thumbnails
from clearhead.messages import LayerAgreement, ModelLayer, ModelToken, Tower
from clearhead.trace.capture import agreement as measured
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.layer import Layer
from clearhead.trace.capture.token import Token


def towers(capture: Capture, batch: int = 0) -> tuple[list[Tower], list[np.ndarray]]:
    """Every tower with its layers, and the buffers that they name.

    Args:
        capture: the model on its text.
        batch: which sequence.
    """
    agreement = {one.layer: one for one in capture.agreement}
    buffers: list[np.ndarray] = []
    views = []
    for name in capture.towers:
        layers = [layer for layer in capture.layers if layer.tower == name]
        first = next((layer for layer in layers if layer.attention is not None), None)
        if first is None:
            continue
        queries, keys = capture.tokens_of(first, batch)
        views.append(Tower(
            name=name, title=name.replace("_", " "), rows=stream(first.rows), columns=stream(first.columns),
            queries=token_views(queries), keys=None if keys is queries else token_views(keys),
            layers=[_layer(layer, agreement.get(layer.label), capture, batch, buffers) for layer in layers],
        ))  # fmt: skip
    return views, buffers


def stream(name: str) -> str:
    """What the positions of a sequence are, in words: "tokens", "decoder tokens", or as it is called."""
    return {"text": "tokens", "": "tokens"}.get(name, f"{name} tokens" if name.isalpha() else name)


def token_views(tokens: Iterable[Token]) -> list[ModelToken]:
    """Tokens as data."""
    return [_token_view(one) for one in tokens]


def _token_view(one: Token) -> ModelToken:
    view = ModelToken(text=one.text, start=one.start, end=one.end)
    if one.special:
        view["special"] = True
    if one.padding:
        view["padding"] = True
    if one.part:
        view["part"] = True
    return view


def agreement_view(one: measured.LayerAgreement) -> LayerAgreement:
    """How far a layer lies from its kernel; what is no finite number is null, and the note says why."""
    difference, tolerance = (
        number if math.isfinite(number) else None for number in (one.difference, one.tolerance)
    )
    return LayerAgreement(agrees=one.agrees, difference=difference, tolerance=tolerance, note=_note(one))


def _note(one: measured.LayerAgreement) -> str:
    """Why nothing could be compared: a sentence, or nothing."""
    return one.undefined or (f"{one.note[:1].upper()}{one.note[1:].rstrip('.')}." if one.note else "")


def agreement_in_words(agreement: measured.Agreement) -> str:
    """All layers in a few sentences; those that do not agree, or could not be compared, by name."""
    told = [f"{one.layer}: {_note(one)}" for one in agreement if _note(one)]
    compared = [one for one in agreement if not _note(one)]
    if not compared:
        return " ".join(["No layer could be compared with what its kernel returned.", *told])
    worst = max(compared, key=lambda one: one.difference / one.tolerance if one.tolerance else one.difference)
    closest = (
        f"closest to the limit is {worst.layer}, with a difference of {_short(worst.difference)} where rounding "
        f"explains {_short(worst.tolerance)}"
    )
    failing = ", ".join(one.layer for one in compared if not one.agrees)
    if failing:
        what = "weights times values is not what its kernel returned"
        first = f"NOT the model's numbers in {failing}: {what} ({closest})."
    else:
        where = f"In {_of(len(compared), len(agreement))}"
        first = f"{where}, weights times values is what the model's kernel returned: {closest}."
    return " ".join([first, *told])


def _of(some: int, count: int) -> str:
    """So many of the layers: "all 12 layers", "the one layer", "11 of 12 layers"."""
    if some < count:
        return f"{some} of {count} layers"
    return "the one layer" if count == 1 else f"all {count} layers"


def _short(value: float) -> str:
    """Two digits and a power of ten, as the page writes numbers: 1.1e−6."""
    if not math.isfinite(value):
        return "no number"
    digits, power = f"{value:.1e}".split("e") if value else ("0", "")
    return f"{digits}e{int(power)}".replace("-", "−") if power else digits


def _layer(
    layer: Layer,
    agreement: measured.LayerAgreement | None,
    capture: Capture,
    batch: int,
    buffers: list[np.ndarray],
) -> ModelLayer:
    place: int | None = None
    if layer.attention is not None:
        place = len(buffers)
        buffers.append(thumbnails(capture.overview_of(layer), layer.attention, batch))
    return ModelLayer(
        number=layer.number, label=layer.label, heads=layer.heads, what=layer.what,
        agreement=None if agreement is None else agreement_view(agreement), thumbnails=place,
    )  # fmt: skip
