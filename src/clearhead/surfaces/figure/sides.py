"""The sides of a matrix in a figure: words, numbers of positions on their colours, and the names of the axes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from matplotlib.transforms import offset_copy

from clearhead.surfaces.figure.look import LABEL, SMALL, Look
from clearhead.surfaces.figure.panels import Side
from clearhead.surfaces.figure.themes import ink_on
from clearhead.surfaces.figure.words import families, size_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Transform

CHIP = 6.0
"""Points of the number of a position."""

CLOSE = 1.2
"""From one label to the next, in sizes of their letters, at least."""

TURNED = 45
"""Degrees by which words over narrow columns are turned, where columns are wide enough for that."""


def label_rows(
    ax: Axes, side: Side, pitch: float, look: Look, *, named: bool = True, right: bool = False
) -> None:
    """Label the rows, one at each whole number of y; those in a crowd at every n-th, and the axis says which n.

    Args:
        ax: where.
        side: what they are.
        pitch: points from one to the next.
        look: the theme.
        named: whether words are written, or numbers of positions alone.
        right: on the right of the axes instead of the left; then they are no ticks.
    """
    size = min(LABEL, max(SMALL, pitch / CLOSE))
    every = step_for(side, pitch, size * CLOSE)
    shown = list(range(0, len(side.places), every))
    away = 3.0
    if side.positions:
        away += chips(ax, side, shown, look, size, right=right)
    texts = [side.labels[at] if named else "" for at in shown]
    if right:
        for at, text in zip(shown, texts, strict=True):
            place = shifted(ax, ax.get_yaxis_transform(), away, 0)
            ax.text(
                1,
                at,
                text,
                transform=place,
                va="center_baseline",
                ha="left",
                fontsize=size,
                family=families(text),
                color=_ink(side, at, look),
            )
        return
    ax.set_yticks(shown, labels=texts)
    ax.tick_params(axis="y", length=0, pad=away, labelsize=size)
    for label, text, at in zip(ax.get_yticklabels(), texts, shown, strict=True):
        label.set_fontfamily(families(text))
        label.set_verticalalignment("center_baseline")
        label.set_color(_ink(side, at, look))
    ax.set_ylabel(axis_name(side, every), labelpad=3)


def label_columns(ax: Axes, side: Side, pitch: float, look: Look) -> None:
    """Label the columns above the axes, one at each whole number of x; wide words are turned."""
    widest = max((size_of(text, LABEL)[0] for text in side.labels), default=0.0)
    turn = 0 if widest <= pitch - 2 else TURNED if pitch >= LABEL * 1.5 else 90
    size = LABEL if turn != 90 else min(LABEL, max(SMALL, pitch / CLOSE))
    number = (
        size_of(str(max(side.places)), CHIP * size / LABEL, weight="bold")[0] + 3 if side.positions else 0.0
    )
    every = step_for(side, pitch, max(size * CLOSE, number))
    shown = list(range(0, len(side.places), every))
    away = 3.0 + (chips(ax, side, shown, look, size, above=True) if side.positions else 0)
    ax.xaxis.set_ticks_position("top")
    ax.xaxis.set_label_position("top")
    texts = [side.labels[at] for at in shown]
    ax.set_xticks(shown, labels=texts)
    ax.tick_params(axis="x", length=0, pad=away, labelsize=size)
    for label, text, at in zip(ax.get_xticklabels(), texts, shown, strict=True):
        label.set_fontfamily(families(text))
        label.set_color(_ink(side, at, look))
        if turn:
            label.set(
                rotation=turn, rotation_mode="anchor", ha="left", va="center" if turn == 90 else "baseline"
            )
    ax.set_xlabel(axis_name(side, every), labelpad=5)


def _ink(side: Side, at: int, look: Look) -> str:
    """The colour of a word; of padding a softer one."""
    return look.theme.soft if side.places[at] in side.padding else look.theme.ink


def step_for(side: Side, pitch: float, room: float) -> int:
    """Every how manieth place can be labelled where one takes so many points; a round number."""
    return next(step for step in _round_numbers() if step * pitch >= room or step >= len(side.places))


def _round_numbers() -> Iterator[int]:
    scale = 1
    while True:
        yield from (scale, 2 * scale, 4 * scale, 5 * scale)
        scale *= 10


def axis_name(side: Side, every: int) -> str:
    """The name of an axis; where not every place is labelled, that too."""
    if every == 1 or not side.axis:
        return side.axis
    ordinal = {1: "st", 2: "nd", 3: "rd"}.get(every if every < 20 else every % 10, "th")
    return f"{side.axis} (every {every}{ordinal}{' point' if side.several > 1 else ''} labelled)"


def chips(
    ax: Axes,
    side: Side,
    shown: list[int],
    look: Look,
    beside: float,
    *,
    above: bool = False,
    right: bool = False,
) -> float:
    """The numbers of positions on their colours, along one side, to fit such labels; the points that they take."""
    size = CHIP * beside / LABEL
    widest = max(size_of(str(side.places[at]), size, weight="bold")[0] for at in shown)
    deep = size / 2 if above else widest / 2 + 1
    away = 3.0 + deep
    along = ax.get_xaxis_transform() if above else ax.get_yaxis_transform()
    shift = (0, away) if above else (away, 0) if right else (-away, 0)
    place = shifted(ax, along, *shift)
    for at in shown:
        x, y = (at, 1) if above else (1, at) if right else (0, at)
        framed = side.places[at] in side.padding
        chip(ax, x, y, side.places[at], side.count, look, size, framed=framed, transform=place)
    return away + deep


def chip(
    ax: Axes,
    x: float,
    y: float,
    position: int,
    count: int,
    look: Look,
    size: float = CHIP,
    *,
    framed: bool = False,
    **how: Any,
) -> None:
    """One position: its number on its colour, the same wherever the position appears; of padding in a frame of it."""
    colour = look.theme.of_position(position, count)
    box = {
        "boxstyle": "round,pad=0.22,rounding_size=0.3", "facecolor": "none" if framed else colour,
        "edgecolor": colour if framed else "none", "linewidth": 0.5,
    }  # fmt: skip
    ax.text(
        x, y, str(position), color=look.theme.soft if framed else ink_on(colour), bbox=box, fontsize=size,
        weight="bold", ha="center", va="center_baseline", clip_on=False, **how,
    )  # fmt: skip


def shifted(ax: Axes, place: Transform, right: float, up: float) -> Transform:
    """Where a place is, and so many points away from it."""
    figure = ax.get_figure(root=True)
    assert figure is not None  # axes are drawn into
    return offset_copy(place, figure, right, up, units="points")
