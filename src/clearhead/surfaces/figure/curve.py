"""A loss curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from clearhead.surfaces.figure.layout import alone
from clearhead.surfaces.figure.look import AXIS, LABEL, SMALL, Look
from clearhead.surfaces.figure.words import plain
from clearhead.trace.notation.numbers import format_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHAPE = 0.5
"""The height of the axes as a share of their width."""

MOST_POINTS = 2000
"""Steps that are points of the line; of a longer training each point is the mean of some."""

STROKES = ("solid", (0, (4, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.2, 1.2, 1.2)))
"""Curves that share axes differ in these, not in colour."""


def curve(
    losses: Sequence[float] | np.ndarray, look: Look, ax: Axes | None = None, label: str | None = None
) -> Axes:
    """The loss by the number of updates that were made before; where axes have a curve already, in another stroke.

    Args:
        losses: (updates made,) from 0 on: the loss before the first update, after the first, and so on.
        look: width and theme.
        ax: where; None: a figure of its own.
        label: its name in a legend.

    Raises:
        ValueError: there is no loss that is a number.
    """
    values = np.asarray(losses, dtype=np.float64)
    if not np.isfinite(values).any():
        raise ValueError("kind: this training has no loss yet; expected one of at least one step")

    def draw(into: Axes) -> None:
        _draw(into, values, look, label)

    if ax is not None:
        draw(ax)
        return ax
    return alone(draw, lambda width: SHAPE * width, look)


def _draw(ax: Axes, values: np.ndarray, look: Look, label: str | None) -> None:
    theme, several, last = look.theme, -(-len(values) // MOST_POINTS), len(values) - 1
    known = values[np.isfinite(values)]
    first, final = (format_number(float(known[at]), look.digits) for at in (0, -1))
    ax.set_label(f"loss after 0 to {last} updates, {first} to {final}")
    steps = np.arange(len(values), dtype=np.float64)
    if several > 1:
        starts = np.arange(0, len(values), several)
        sizes = np.diff([*starts, len(values)])
        steps, values = (np.add.reduceat(one, starts) / sizes for one in (steps, values))
    before = len(ax.get_lines())
    ax.plot(
        steps, values, color=theme.ink, linestyle=STROKES[before % len(STROKES)],
        label=None if label is None else plain(label), marker="o" if len(values) == 1 else None, markersize=3,
    )  # fmt: skip
    ax.annotate(
        final, (last, known[-1]), (3, 0), textcoords="offset points", va="center", fontsize=LABEL, color=theme.ink,
        annotation_clip=False,
    )  # fmt: skip
    shown = values[np.isfinite(values)]
    least, largest, end = min(0.0, float(shown.min())), float(shown.max()) * 1.05, float(last)
    if before:  # another curve is there already, and stays in sight
        largest, end = max(largest, ax.get_ylim()[1]), max(end, ax.get_xlim()[1])
    ax.set(xlim=(0, end or 1), ylim=(least, largest if largest > least else 1.0))
    ax.set_xlabel(
        f"updates made{f' (each point the mean of {several})' if several > 1 else ''}", fontsize=AXIS
    )
    ax.set_ylabel("loss (nats)", fontsize=AXIS)
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(4))
    ax.grid(axis="y", color=theme.line, linewidth=0.5)
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=LABEL, length=2.5)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    if label is not None:
        ax.legend(frameon=False, fontsize=max(LABEL, SMALL), labelcolor=theme.ink)
