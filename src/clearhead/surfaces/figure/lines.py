"""Who looks at whom: a line from each query to each key, as wide as the weight between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.collections import LineCollection

from clearhead.surfaces.figure.layout import alone
from clearhead.surfaces.figure.look import AXIS, Look
from clearhead.surfaces.figure.matrix import title
from clearhead.surfaces.figure.panels import Panel, described
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

THINNEST = 0.2
"""Points of a line from which on it is dashed: dashes are as long as the line is wide."""

DASHES = ("solid", (0, (2.2, 0.8)), (0, (0.8, 0.8)), (0, (2.2, 0.7, 0.7, 0.7)))
"""In grey the lines of neighbouring queries differ in these."""


def lines(panel: Panel, look: Look, ax: Axes | None = None, query: int | None = None) -> Axes:
    """Lines between the tokens of a map of weights, from the queries at the left to the keys at the right.

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


def _lines(ax: Axes, panel: Panel, look: Look, query: int | None) -> None:
    """One line a weight that is not masked, the small ones first, so that the large ones lie on top."""
    seen = ~panel.masked & np.isfinite(panel.values) & (panel.values > 0)
    places = np.argwhere(seen)
    order = np.argsort(panel.values[seen], kind="stable")
    ends, widths, colours, dashes = [], [], [], []
    for row, column in places[order].tolist():
        at, weight = panel.rows.places[row], float(panel.values[row, column])
        lit = query is None or at == query
        ends.append([(0.0, row), (1.0, column)])
        widths.append(WIDEST * weight)
        colours.append(look.theme.of_position(at, panel.rows.count) if lit else look.theme.line)
        dashed = lit and not look.theme.colours and widths[-1] >= THINNEST
        dashes.append(DASHES[at % len(DASHES)] if dashed else "solid")
    ax.add_collection(
        LineCollection(ends, linewidths=widths, colors=colours, linestyles=dashes, capstyle="butt", zorder=1)
    )
