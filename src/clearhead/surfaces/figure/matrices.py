"""Matrices beside each other in a figure, all with cells of one size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from clearhead.surfaces.figure.layout import Drawing, together
from clearhead.surfaces.figure.look import Look
from clearhead.surfaces.figure.matrix import WIDEST, draw_matrix

if TYPE_CHECKING:
    from clearhead.surfaces.figure.panels import Panel

MOST = 64
"""Matrices of one figure."""


def matrices(panels: Sequence[Panel], look: Look, ax: Any = None) -> Axes | np.ndarray:
    """Draw matrices: one into axes of its own or given ones, several into as many.

    Raises:
        ValueError: they are too many for one figure, or not as many axes were given.
    """
    if len(panels) > MOST:
        raise ValueError(f"head: these are {len(panels)} matrices; expected one of them, or at most {MOST}")
    if ax is not None:
        return _into(panels, look, ax)
    rows = {(panel.rows.positions, panel.rows.words, panel.rows.places) for panel in panels}
    shared = len(rows) == 1 and panels[0].rows.positions
    if len({(panel.shares, panel.end) for panel in panels}) == 1:  # one scale, so one bar, beside the last
        panels = [*(replace(panel, scaled=False) for panel in panels[:-1]), panels[-1]]
    axes = together([_drawing(panel, look, shared) for panel in _told_once(panels)], look)
    found: Axes = axes[0]
    return found if len(axes) == 1 else axes


def _told_once(panels: Sequence[Panel]) -> list[Panel]:
    """The panels, each of which leaves out what marks mean that one before it says."""
    told = [frozenset(mark for before in panels[:at] for mark in before.marks) for at in range(len(panels))]
    return [replace(panel, told=known) for panel, known in zip(panels, told, strict=True)]


def _into(panels: Sequence[Panel], look: Look, ax: Any) -> Axes | np.ndarray:
    given = np.asarray(ax, dtype=object).ravel()
    if len(given) != len(panels) or not all(isinstance(one, Axes) for one in given):
        one = "1 matrix; expected axes of Matplotlib"
        several = f"{len(panels)} matrices; expected as many axes of Matplotlib"
        raise ValueError(f"ax: this draws {one if len(panels) == 1 else several}")
    for panel, into in zip(_told_once(panels), given, strict=True):
        draw_matrix(into, panel, look)
    found: Axes = given[0]
    return found if len(given) == 1 else given


def _drawing(panel: Panel, look: Look, shared: bool) -> Drawing:
    """A panel to be placed; where all have the same rows, their words stand at the left of each row of panels alone."""
    rows, columns = panel.values.shape
    inner = partial(draw_matrix, panel=replace(panel, named=False), look=look) if shared else None
    unsaid = tuple(mark for mark in panel.marks if mark not in panel.told)
    alike = (panel.rows, panel.columns, panel.shares, panel.end, panel.scaled, len(panel.title), unsaid)
    return Drawing(partial(draw_matrix, panel=panel, look=look), columns, rows, WIDEST, inner, alike)
