"""Who looks at whom: a line from each query to each key, as wide as the weight between them.

A viewer draws any line, however narrow, at least as one of its dots: a weight of 1e-24 would look like one of 0.05. So
no line is narrower than `THINNEST`: the weight of one that would be is said by its opacity, which falls to 0 with the
weight, and what is less opaque than a screen can show (`PALEST`) is not drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba

from clearhead.surfaces.figure.layout import alone
from clearhead.surfaces.figure.look import AXIS, Look
from clearhead.surfaces.figure.matrix import remark, title
from clearhead.surfaces.figure.panels import FRAMED, Panel, described
from clearhead.surfaces.figure.sides import label_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE, PITCH, TIGHTEST = 22.0, 13.0, 9.0
"""Points from one token to the next: where lines are long and tokens few, usually, and at least."""

SLOPE = 0.45
"""The height of the lines as a share of their length, up to which tokens stand further apart."""

MOST = 64
"""Tokens of which lines can still be followed, at most."""

WIDEST = 5.0
"""Points of the line of a weight of 1."""

THINNEST = 0.25
"""Points of a line at least; in grey those at least so wide are dashed, as dashes are as long as the line is wide."""

PALEST = 1 / 255
"""The opacity below which a line is not drawn, as no screen shows it: that of a weight of 0.0002."""

STUB = 0.035
"""How far a stroke goes, as a share of the way, from a query that may see nothing."""

ENDS = "a stroke that ends: sees nothing"

DASHES = ("solid", (0, (2.2, 0.8)), (0, (0.8, 0.8)), (0, (2.2, 0.7, 0.7, 0.7)))
"""In grey the lines of neighbouring queries differ in these."""


def lines(panel: Panel, look: Look, ax: Axes | None = None, query: int | None = None) -> Axes:
    """Lines between the tokens of a map of weights, from the queries at the left to the keys at the right.

    A line is as wide as its weight, `WIDEST` points for 1, but never narrower than `THINNEST`; below that it is as much
    paler as it would be narrower, and not drawn where it is paler than `PALEST`.

    Args:
        panel: the weights.
        look: width and theme.
        ax: where; None: a figure of its own.
        query: the one whose lines are drawn in colour, all others pale; None: all.

    Raises:
        ValueError: there are too many tokens to follow a line.
        LookupError: there is no such query.
    """
    count = max(panel.values.shape)
    if count > MOST or panel.rows.several > 1:
        raise ValueError(
            f"kind: lines between {count} tokens cannot be followed; expected at most {MOST} tokens, or 'weights'"
        )
    if query is not None and query not in panel.rows.places:
        first, last = panel.rows.places[0], panel.rows.places[-1]
        raise LookupError(f"query: {query!r} is no place; expected one from {first} to {last}")

    def draw(into: Axes) -> None:
        _draw(into, panel, look, query)

    if ax is not None:
        draw(ax)
        return ax
    return alone(draw, lambda width: count * _pitch(width, count), look)


def _pitch(width: float, count: int) -> float:
    """Points from one token to the next."""
    return max(TIGHTEST, min(WIDE, max(PITCH, SLOPE * width / count), 400 / count))


def _draw(ax: Axes, panel: Panel, look: Look, query: int | None) -> None:
    rows, columns = panel.values.shape
    count = max(rows, columns)
    ax.set(xlim=(0, 1), ylim=(count - 0.5, -0.5))
    ax.set_label(f"lines from queries to keys, {described(panel)}")
    _lines(ax, panel, look, query)
    _stubs(ax, panel, look)
    pitch = ax.get_window_extent().height / (ax.figure.dpi / 72) / count
    label_rows(ax, panel.rows, pitch, look)
    label_rows(ax, panel.columns, pitch, look, right=True)
    for side in ax.spines.values():
        side.set_visible(False)
    ax.set_xticks([])
    ax.set_ylabel("")
    for x, text, align in ((0, f"{panel.rows.axis} →", "left"), (1, f"→ {panel.columns.axis}", "right")):
        ax.annotate(
            text, (x, 1), (0, 3), xycoords="axes fraction", textcoords="offset points", ha=align, va="bottom",
            fontsize=AXIS, color=look.theme.soft,
        )  # fmt: skip
    title(ax, panel.title, 15)
    remark(ax, [*([ENDS] if panel.blind else []), *(mark for mark in panel.marks if mark == FRAMED)], look)


def _lines(ax: Axes, panel: Panel, look: Look, query: int | None) -> None:
    """One line a weight that is not masked, the small ones first, so that the large ones lie on top."""
    seen = ~panel.masked & np.isfinite(panel.values) & (panel.values * WIDEST / THINNEST >= PALEST)
    places = np.argwhere(seen)
    order = np.argsort(panel.values[seen], kind="stable")
    ends, widths, colours, dashes = [], [], [], []
    for row, column in places[order].tolist():
        at, width = panel.rows.places[row], WIDEST * float(panel.values[row, column])
        lit = query is None or at == query
        ends.append([(0.0, row), (1.0, column)])
        widths.append(max(width, THINNEST))
        colour = look.theme.of_position(at, panel.rows.count) if lit else look.theme.line
        colours.append(to_rgba(colour, min(1.0, width / THINNEST)))
        dashed = lit and not look.theme.colours and width >= THINNEST
        dashes.append(DASHES[at % len(DASHES)] if dashed else "solid")
    ax.add_collection(
        LineCollection(ends, linewidths=widths, colors=colours, linestyles=dashes, capstyle="butt", zorder=1)
    )


def _stubs(ax: Axes, panel: Panel, look: Look) -> None:
    """A short stroke from each query that may see nothing: that none of its lines could be seen is something else."""
    strokes = [
        [(x0, row + up), (x1, row + down)]
        for row in panel.blind
        for x0, x1, up, down in ((0.0, STUB, 0.0, 0.0), (STUB, STUB, -0.22, 0.22))
    ]
    if strokes:
        ax.add_collection(LineCollection(strokes, colors=look.theme.soft, linewidths=0.8, zorder=1))
