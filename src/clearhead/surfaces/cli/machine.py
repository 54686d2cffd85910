"""What `--json` prints: the same numbers for programs, all of them in full.

A number that JSON cannot say, the −∞ of a masked score, is the string "-inf" (as Python's float() reads it).
"""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from clearhead.lenses.walkthrough import Stop
from clearhead.messages import Explanation
from clearhead.surfaces.cli.reading import Reading
from clearhead.trace.trace import Trace


def number(value: float) -> float | str:
    """The number, or its name where JSON has none for it."""
    return value if math.isfinite(value) else str(value)


def nested(values: np.ndarray) -> Any:
    """An array as nested lists of numbers."""
    return (
        [nested(row) for row in values] if values.ndim > 1 else [number(value) for value in values.tolist()]
    )


def walk_as_data(reading: Reading, stops: list[Stop]) -> dict[str, Any]:
    """The steps and the quantities that they show."""
    trace, example = reading.trace, reading.example
    shown = [name for stop in stops for name in _names(stop) if name in trace]
    return {
        "example": {"name": example.name, "title": example.title, "look_for": example.look_for},
        "tokens": trace.tokens,
        "vocabulary": trace.vocabulary,
        "settings": asdict(example.settings),
        "quantities": [_quantity(reading, name) for name in trace if name in shown],
        "stops": [
            {
                "id": stop.id,
                "title": stop.title,
                "text": stop.paragraphs(trace),
                "quantities": [name for name in stop.quantities if name in trace],
            }
            for stop in stops
        ],
    }


def _names(stop: Stop) -> tuple[str, ...]:
    return stop.quantities + tuple(name for aside in stop.asides for name in aside.quantities)


def _quantity(reading: Reading, name: str) -> dict[str, Any]:
    quantity, view = reading.trace[name], reading.views[name]
    return {
        "name": name,
        "axes": quantity.axes,
        "shape": quantity.shape,
        "values": nested(quantity.values),
        "masked": None if quantity.masked is None else quantity.masked.tolist(),
        "operation": view["operation"],
        "inputs": view["inputs"],
        "formula": reading.formula(name),
        "says": view["says"],
    }


def why_as_data(view: Explanation, trace: Trace) -> dict[str, Any]:
    """The explanation as the page gets it, with the values of the cell and of its sources as numbers."""
    sources = [
        {**source, "number": number(float(trace[source["quantity"]].values[tuple(source["index"])]))}
        for source in view["sources"]
    ]
    value = float(trace[view["quantity"]].values[tuple(view["index"])])
    return {**view, "number": number(value), "sources": sources}
