"""What can be drawn of a checker's report: its smallest example, yours beside what is right."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clearhead.session.reported import SIDES, side_of
from clearhead.surfaces.figure.arithmetic import arithmetic
from clearhead.surfaces.figure.asked import Asked
from clearhead.surfaces.figure.look import Look
from clearhead.surfaces.figure.matrices import matrices
from clearhead.surfaces.figure.panels import Panel, panels_of

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes

    from clearhead.lenses.diagnose import Report, Smallest


def of_report(report: Report, asked: Asked, look: Look, ax: Any) -> Axes | np.ndarray:
    """Draw the smallest example of a report: both sides of a quantity, or the arithmetic of a cell of one.

    Without a kind it is the first quantity that comes out otherwise.

    Raises:
        ValueError: nothing differs, so there is no example; an option does nothing here.
        LookupError: there is no such quantity, cell or head.
    """
    small = report.smallest
    if small is None:
        raise ValueError(
            f"figure: this report has no example to draw ({report.verdict}); expected one that differs"
        )
    if asked.cell is not None:
        asked.only()
        side, _, name = asked.names[0].rpartition(".")
        if side not in ("", *SIDES):
            raise LookupError(f"kind: {asked.kind!r}: expected yours. or right. before the name")
        trace = side_of(small, side)
        return arithmetic(trace[name].explain(*asked.cell), look, ax, trace)
    head = asked.only("head").get("head")
    names = asked.names or (small.step,)
    return matrices([panel for name in names for panel in _both(small, name, head)], look, ax)


def _both(small: Smallest, name: str, head: int | None) -> list[Panel]:
    """The panels of a quantity from both sides, each head's beside each other, on one scale."""
    traces = {side: side_of(small, side) for side in SIDES}
    if name not in traces["yours"] and name in traces["right"]:
        known = ", ".join(one for one in traces["yours"] if one in traces["right"])
        raise LookupError(f"kind: of your function no {name} is known; expected one of {known}")
    sides = [panels_of(trace, name, head, side) for side, trace in traces.items()]
    end = max(panel.end for panels in sides for panel in panels)
    return [replace(panel, end=end) for pair in zip(*sides, strict=True) for panel in pair]
