"""A matrix in a figure: its cells on colours, with numbers where they fit, and hatched where it is masked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.ticker import FixedFormatter, FixedLocator

from clearhead.surfaces.figure.look import LABEL, SMALL, TITLE, Look
from clearhead.surfaces.figure.panels import Panel, described, runs
from clearhead.surfaces.figure.sides import label_columns, label_rows
from clearhead.surfaces.figure.themes import ink_on
from clearhead.surfaces.figure.words import size_of, wrapped
from clearhead.trace.notation.numbers import format_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

TILES = 7.0
"""Points of a cell from which on cells are tiles with gaps between them; smaller ones are one picture."""

LEAST_TITLE = 60.0
"""Points that a row of a title may have over narrow axes, too."""

WIDEST = 40.0
"""Points of a cell at most, where a figure has room for more."""


def draw_matrix(ax: Axes, panel: Panel, look: Look) -> None:
    """Draw a matrix into axes, rows downwards, cell (row, column) at y = row, x = column."""
    rows, columns = panel.values.shape
    width, height = cell_size(ax, columns, rows)
    ax.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5))
    ax.set_label(described(panel))
    shown = _cells(ax, panel, look, min(width, height) >= TILES)
    _hatch(ax, panel.masked, look, "//////", look.theme.hatch)
    _strike(ax, panel, look, height)
    numbers = _numbers(ax, panel, look, shown, width, height) if look.numbers else False
    if not numbers:
        if not panel.shares and not look.theme.colours:
            _hatch(ax, ~panel.masked & (panel.values < 0), look, "......", look.theme.ink)
        if panel.scaled:
            scale(ax, shown, panel.shares, panel.end, look)
    for side in ax.spines.values():
        side.set_visible(not min(width, height) >= TILES)
    label_rows(ax, panel.rows, height, look, named=panel.named)
    label_columns(ax, panel.columns, width, look)
    title(ax, panel.title)
    remark(ax, [mark for mark in panel.marks if mark not in panel.told], look)


def title(ax: Axes, written: str, pad: float = 5) -> None:
    """A title over axes, in as many rows as it needs there."""
    room = max(LEAST_TITLE, cell_size(ax, 1, 1)[0])
    ax.set_title("\n".join(wrapped(written, room, TITLE)), loc="left", fontsize=TITLE, pad=pad)


def remark(ax: Axes, marks: Sequence[str], look: Look) -> None:
    """What marks mean, under axes, in as many rows as it needs there."""
    if not marks:
        return
    room = max(LEAST_TITLE, cell_size(ax, 1, 1)[0])
    ax.annotate(
        "\n".join(wrapped("; ".join(marks), room, SMALL + 1)), (0, 0), (0, -4), xycoords="axes fraction",
        textcoords="offset points", va="top", ha="left", fontsize=SMALL + 1, color=look.theme.soft,
        annotation_clip=False,
    )  # fmt: skip


def cell_size(ax: Axes, columns: float, rows: float) -> tuple[float, float]:
    """Points that a cell is wide and high in axes of so many."""
    box, dots = ax.get_window_extent(), ax.figure.dpi / 72
    return box.width / dots / columns, box.height / dots / rows


def _cells(ax: Axes, panel: Panel, look: Look, tiles: bool) -> ScalarMappable:
    """The colours: tiles that stay shapes in SVG and PDF, or for a large map one picture."""
    values = np.ma.masked_array(panel.values, panel.masked | ~np.isfinite(panel.values))
    theme = look.theme
    for row, first, after in runs(panel.nowhere):
        place = (first - 0.5, row - 0.5)
        ax.add_patch(Rectangle(place, after - first, 1, facecolor=theme.hatch, linewidth=0, zorder=0.5))
    norm = Normalize(0.0 if panel.shares else -panel.end, panel.end)
    colours = theme.weights_map if panel.shares else theme.signed_map
    if not tiles:
        return ax.imshow(values, colours, norm, interpolation="none", aspect="auto", zorder=0)
    edges = [np.arange(size + 1) - 0.5 for size in values.shape]
    return ax.pcolormesh(
        edges[1], edges[0], values, cmap=colours, norm=norm, edgecolor=theme.line, linewidth=0.4, zorder=0
    )


def _hatch(ax: Axes, table: np.ndarray, look: Look, strokes: str, colour: str) -> None:
    """Hatch the cells that are True: one path, whatever their number."""
    corners = [
        Path(
            np.array([(first, row), (after, row), (after, row + 1), (first, row + 1), (first, row)]) - 0.5,
            closed=True,
        )
        for row, first, after in runs(table)
    ]
    if corners:
        path = Path.make_compound_path(*corners)
        ax.add_patch(
            PathPatch(path, facecolor="none", edgecolor=colour, linewidth=0, hatch=strokes, zorder=1)
        )


def _strike(ax: Axes, panel: Panel, look: Look, height: float) -> None:
    """A line through each row that may see nothing."""
    ends = [[(-0.5, row), (panel.values.shape[1] - 0.5, row)] for row in panel.blind]
    if ends:
        ax.add_collection(
            LineCollection(ends, colors=look.theme.soft, linewidths=min(1.0, height), zorder=1.5)
        )


def _numbers(ax: Axes, panel: Panel, look: Look, shown: ScalarMappable, width: float, height: float) -> bool:
    """Write every number into its cell, all in one size, if that can still be read."""
    if height < SMALL + 1 or width < SMALL:
        return False
    texts = [
        [panel.absent if value != value else format_number(value, look.digits) for value in row]
        for row in panel.values.tolist()
    ]
    widest = max((size_of(text, 10)[0] / 10 for text in {text for row in texts for text in row}), default=0.1)
    size = min(LABEL + 0.5, (width - 3) / widest, height * 0.8)
    if size < SMALL:
        return False
    plain, free = look.theme.ink, {"facecolor": look.theme.paper, "edgecolor": "none", "pad": 1.0}
    colours: Any = shown.cmap(shown.norm(np.where(np.isfinite(panel.values), panel.values, 0.0)))
    for (row, column), hidden in np.ndenumerate(panel.masked):
        finite = np.isfinite(panel.values[row, column]) and not hidden
        colour = ink_on(colours[row, column]) if finite else plain
        ax.text(
            column,
            row,
            texts[row][column],
            ha="center",
            va="center_baseline",
            fontsize=size,
            color=colour,
            clip_on=True,
            bbox=free if row in panel.blind else None,
        )
    return True


def scale(ax: Axes, shown: ScalarMappable, shares: bool, end: float, look: Look) -> None:
    """What the colours mean: a bar at the right with its ends and 0; of shares from 0 on alone."""
    box, dots = ax.get_window_extent(), ax.figure.dpi / 72
    wide, away = 5 / (box.width / dots), 6 / (box.width / dots)
    bar = ax.inset_axes((1 + away, 0, wide, 1))
    colours: Any = bar.figure.colorbar(shown, cax=bar)
    ends = [0.0, end] if shares else [-end, 0.0, end]
    bar.yaxis.set_major_locator(FixedLocator(ends))
    bar.yaxis.set_major_formatter(FixedFormatter([_short(end) for end in ends]))
    bar.tick_params(length=2, pad=2, labelsize=SMALL + 0.5)
    bar.minorticks_off()
    colours.outline.set(linewidth=0.5, edgecolor=look.theme.soft)
    if not shares and not look.theme.colours:
        half = Rectangle(
            (0, 0),
            1,
            0.5,
            transform=bar.transAxes,
            facecolor="none",
            linewidth=0,
            edgecolor=look.theme.ink,
            hatch="......",
        )
        bar.add_patch(half)


def _short(end: float) -> str:
    """The number at an end of a scale; 1 is 1."""
    return format_number(end, "full" if end == int(end) else 2)
