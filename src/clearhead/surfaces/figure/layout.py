"""Figures as wide as they are asked to be, with nothing cut off: what stands around axes is measured, then placed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from clearhead.surfaces.figure.look import TALLEST, Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EDGE, GAP = 3.0, 9.0
"""Points at the figure's edge, and between axes."""

MOST_BESIDE = 16
"""Drawings beside each other at most."""

Draw = Callable[["Axes"], None]


@dataclass(frozen=True)
class Drawing:
    """Something that is drawn into axes, as so many cells.

    Attributes:
        draw: draws it.
        columns, rows: how many cells it is wide and high.
        widest: the points of a cell at most.
        inner: draws it where another stands on its left that has the same rows; None: as anywhere.
        alike: drawings with the same are measured once.
    """

    draw: Draw
    columns: float
    rows: float
    widest: float
    inner: Draw | None = None
    alike: Hashable = None


@dataclass(frozen=True)
class Around:
    """The points that stand around axes."""

    left: float
    right: float
    bottom: float
    top: float


def around(draw: Draw, width: float, height: float) -> Around:
    """What stands around axes of that size when something is drawn into them."""
    figure = Figure(figsize=(width / 72, height / 72))
    ax = _placed(figure, 0, 0, width, height)
    draw(ax)
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    found = ax.get_tightbbox(renderer)
    assert found is not None  # axes are visible
    box, dots = ax.get_window_extent(), figure.dpi / 72
    sides = (box.x0 - found.x0, found.x1 - box.x1, box.y0 - found.y0, found.y1 - box.y1)
    return Around(*(max(0.0, side / dots) + 0.5 for side in sides))


def alone(draw: Draw, height: Callable[[float], float], look: Look) -> Axes:
    """One drawing in a figure of its own, as wide as there is room, and as high as it says for its width."""
    inner, sides = look.points - 2 * EDGE, Around(0, 0, 0, 0)
    for _ in range(2):  # what stands around it may depend on its size
        width = max(20.0, inner - sides.left - sides.right)
        sides = around(draw, width, height(width))
    width = max(20.0, inner - sides.left - sides.right)
    tall = height(width)
    figure = Figure(figsize=(look.width, (tall + sides.bottom + sides.top + 2 * EDGE) / 72))
    ax = _placed(figure, EDGE + sides.left, EDGE + sides.bottom, width, tall)
    draw(ax)
    return ax


def together(drawings: Sequence[Drawing], look: Look) -> np.ndarray:
    """Drawings in rows, all with cells of one size, as large as there is room; their axes in an array.

    Raises:
        ValueError: they do not fit a figure of that width, or a page.
    """
    cell, beside = 12.0, 1
    for _ in range(3):  # what stands around them depends on the size of their cells
        measured = _measured(drawings, cell)
        fits = {
            count: min(_fitting(drawings, measured, count, look), *(one.widest for one in drawings))
            for count in range(1, min(len(drawings), MOST_BESIDE) + 1)
        }
        beside = max(fits, key=lambda count: (round(fits[count], 1), count))
        cell = max(fits[beside], 0.2)
    if fits[beside] <= 0.2:
        raise ValueError(
            f"width: {len(drawings)} panels and what is written beside them do not fit {look.width:g} inches; "
            "expected a wider figure, or one panel"
        )
    measured = _measured(drawings, cell)
    cell = min(cell, _fitting(drawings, measured, beside, look))
    return _arranged(drawings, beside, cell, measured, look)


def _measured(drawings: Sequence[Drawing], cell: float) -> list[tuple[Around, Around]]:
    """What stands around each with such cells: at the left of a row, and inside it; the last of those alike says it."""
    known: dict[Hashable, tuple[Around, Around]] = {}
    for at, one in {one.alike or at: (at, one) for at, one in enumerate(drawings)}.values():
        size = (one.columns * cell, one.rows * cell)
        outer = around(one.draw, *size)
        known[one.alike or at] = (outer, around(one.inner, *size) if one.inner else outer)
    return [known[one.alike or at] for at, one in enumerate(drawings)]


def _rows_of(count: int, beside: int) -> list[range]:
    return [range(first, min(first + beside, count)) for first in range(0, count, beside)]


def _chosen(sides: Sequence[tuple[Around, Around]], beside: int) -> list[Around]:
    """What stands around each where it is: at the left of its row or inside it."""
    return [one[1 if at % beside else 0] for at, one in enumerate(sides)]


def _fitting(
    drawings: Sequence[Drawing], sides: Sequence[tuple[Around, Around]], beside: int, look: Look
) -> float:
    """The cell with which the widest row is as wide as the figure, and all rows no higher than a page."""
    rows = _rows_of(len(drawings), beside)
    placed = _chosen(sides, beside)
    wide = min(
        (
            look.points
            - 2 * EDGE
            - GAP * (len(row) - 1)
            - sum(placed[at].left + placed[at].right for at in row)
        )
        / sum(drawings[at].columns for at in row)
        for row in rows
    )
    borders = sum(
        max(placed[at].top for at in row) + max(placed[at].bottom for at in row) + GAP for row in rows
    )
    high = (TALLEST * 72 - 2 * EDGE - borders) / sum(max(drawings[at].rows for at in row) for row in rows)
    return min(wide, high)


def _arranged(
    drawings: Sequence[Drawing], beside: int, cell: float, sides: Sequence[tuple[Around, Around]], look: Look
) -> np.ndarray:
    rows = _rows_of(len(drawings), beside)
    placed = _chosen(sides, beside)
    tops = [max(placed[at].top for at in row) for row in rows]
    heights = [
        top + max(drawings[at].rows * cell + placed[at].bottom for at in row)
        for top, row in zip(tops, rows, strict=True)
    ]
    tall = 2 * EDGE + sum(heights) + GAP * (len(rows) - 1)
    figure = Figure(figsize=(look.width, tall / 72))
    widths = [
        [placed[at].left + drawings[at].columns * cell + placed[at].right for at in row] for row in rows
    ]
    indent = (look.points - max(sum(row) + GAP * (len(row) - 1) for row in widths)) / 2
    axes, y = [], tall - EDGE
    for row, wide, top, height in zip(rows, widths, tops, heights, strict=True):
        x = indent
        for at, width in zip(row, wide, strict=True):
            one = drawings[at]
            ax = _placed(
                figure, x + placed[at].left, y - top - one.rows * cell, one.columns * cell, one.rows * cell
            )
            (one.inner if one.inner and at % beside else one.draw)(ax)
            axes.append(ax)
            x += width + GAP
        y -= height + GAP
    return np.array(axes, dtype=object)


def _placed(figure: Figure, x: float, y: float, width: float, height: float) -> Axes:
    """Axes at that place of a figure, in points from its lower left corner."""
    wide, high = (size * 72 for size in figure.get_size_inches())
    return figure.add_axes((x / wide, y / high, width / wide, height / high))
