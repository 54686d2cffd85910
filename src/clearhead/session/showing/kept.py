"""A recording of a training loop, and a report of the checker, as a page shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from clearhead.lenses.diagnose import Report
from clearhead.session.door import Session
from clearhead.session.reported import SIDES, number_on
from clearhead.session.showing.options import cell_of
from clearhead.session.showing.shown import Showing
from clearhead.sources.worked import ExampleError
from clearhead.trace.recording import Recording


def a_recording(x: Recording, given: Mapping[str, Any]) -> Showing:
    """A recording, at the step that is asked for; at its last where none is."""
    steps = x.steps
    if not steps:
        raise ExampleError("recording", f"{x.path}: no step of it was saved; expected one at least")
    step = given.get("step", steps[-1])
    if step not in steps:
        near = (
            sorted(sorted(steps, key=lambda one: abs(one - step))[:3])
            if isinstance(step, int)
            else steps[-3:]
        )
        raise LookupError(f"step: {step!r} was not saved; the nearest that were: {', '.join(map(str, near))}")
    page = {"state": {"example": "", "step": int(step)}, "layer": 0, "cell": None}
    return Showing(Session(recording=x), f"the training in {x.path.name}", "", page, ("recording",))


def a_report(x: Report, given: Mapping[str, Any]) -> Showing:
    """A report, with a cell of either side open where one is asked for."""
    page: dict[str, Any] = {"state": {"example": ""}, "layer": 0, "cell": None}
    shown = Showing(Session(report=x), "the report on an attention", "", page, ("report",), report=x)
    if "cell" not in given:
        return shown
    cell = cell_of(given["cell"])
    if cell["quantity"].partition(".")[0] not in SIDES:
        cell["quantity"] = f"{SIDES[-1]}.{cell['quantity']}"
    number_on(x, cell)  # says what is not there
    return replace(shown, page={**page, "cell": cell})
