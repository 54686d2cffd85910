"""What `--json` prints: the same numbers for programs, all of them in full.

A number that JSON cannot say, the −∞ of a masked score, is the string "-inf" (as Python's float() reads it).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from clearhead.messages import Explanation
from clearhead.surfaces.cli.reading import Reading
from clearhead.surfaces.cli.steps import Step
from clearhead.trace.trace import Trace


def number(value: float) -> float | str:
    """The number, or its name where JSON has none for it."""
    return value if math.isfinite(value) else str(value)


def nested(values: np.ndarray) -> Any:
    """An array as nested lists of numbers; one without axes as a number."""
    if values.ndim == 0:
        return number(float(values))
    return (
        [nested(row) for row in values] if values.ndim > 1 else [number(value) for value in values.tolist()]
    )


def walk_as_data(steps: Sequence[Step]) -> dict[str, Any]:
    """The steps and the quantities that they show."""
    trace, example = steps[0].reading.trace, steps[0].reading.example
    return {
        "example": {"name": example.name, "title": example.title, "look_for": example.look_for},
        "tokens": trace.tokens,
        "vocabulary": trace.vocabulary,
        "settings": asdict(example.settings),
        "quantities": _quantities(steps),
        "stops": [
            {
                "id": step.stop.id,
                "layer": step.reading.layer.number,
                "title": step.stop.title,
                "text": step.stop.paragraphs(step.reading.layer),
                "quantities": step.stop.shown(step.reading.layer),
            }
            for step in steps
        ],
    }


def _quantities(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """What the steps and the questions beside them show, each once, in the order in which it was made."""
    reading_of: dict[str, Reading] = {}
    for reading, stop, _ in steps:
        aside = [name for aside in stop.answered(reading.layer) for name in aside.quantities]
        reading_of |= dict.fromkeys((*stop.shown(reading.layer), *aside), reading)
    order = dict.fromkeys(name for step in steps for name in step.reading.trace)
    return [_quantity(reading_of[name], name) for name in order if name in reading_of]


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
        {**source, "number": number(trace[source["quantity"]].number(tuple(source["index"])))}
        for source in view["sources"]
    ]
    value = trace[view["quantity"]].number(tuple(view["index"]))
    return {**view, "number": number(value), "sources": sources}
