"""All heads at a glance: layers by heads, each as a small map or as one number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap, Normalize

from clearhead.core.names import taken_apart
from clearhead.lenses.overview import thumbnails, weights_in
from clearhead.lenses.overview.thumbnails import SIDE
from clearhead.lenses.statistics import SCORES, head_statistics
from clearhead.surfaces.figure.layout import Drawing, together
from clearhead.surfaces.figure.look import Look
from clearhead.surfaces.figure.matrix import WIDEST, cell_size, draw_matrix, remark, scale, title
from clearhead.surfaces.figure.panels import HATCHED, NO_NUMBER, Panel, Side
from clearhead.surfaces.figure.sides import label_columns, label_rows
from clearhead.surfaces.figure.words import plain, word
from clearhead.trace.capture.capture import Capture
from clearhead.trace.trace import Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DOTS = 48
"""Dots along a side of a small map, at least."""

LARGEST = 110.0
"""Points of a small map at most."""

GAP = 0.1
"""Between small maps, as a share of one."""

STROKES, STROKE = 10, 0.25
"""Strokes of the hatching along a side of a small map, and how wide they are as a share of their distance."""

SIZES = {"entropy": "bits", "distance": "tokens"}
"""Scores that are no shares, and what they are counted in."""


@dataclass(frozen=True, eq=False)
class Layers:
    """The maps of all heads.

    Attributes:
        numbers: of the layers.
        maps: for each layer (heads, queries, keys) its weights or their parts' largest, 0 to 1, masked where the mask
            hides them; NaN where there is no number.
        says: what they are of.
        pooled: whether each point of a map stands for several cells.
    """

    numbers: tuple[int, ...]
    maps: Sequence[np.ma.MaskedArray[Any, Any]]
    says: str
    pooled: bool


def overview(layers: Layers, look: Look, ax: Axes | None = None) -> Axes:
    """A small map of every head: layers downwards, heads to the right."""
    heads = max(len(maps) for maps in layers.maps)
    draw = partial(_draw, layers=layers, look=look)
    if ax is not None:
        draw(ax)
        return ax
    found: Axes = together([Drawing(draw, heads, len(layers.maps), LARGEST)], look)[0]
    return found


def layers_of_capture(capture: Capture, tower: str | None, batch: int) -> Layers:
    """The maps of one tower of a capture.

    Raises:
        LookupError: there is no such tower or sequence.
    """
    chosen = _tower(capture, tower)
    layers = [layer for layer in capture.attentions() if layer.tower == chosen]
    sequences = min(layer.attention.sequences for layer in layers if layer.attention)
    if not 0 <= batch < sequences:
        raise LookupError(f"batch: {batch!r} is none of this capture's; expected 0 to {sequences - 1}")
    maps = [
        weights_in(thumbnails(capture.overview_of(layer), layer.attention, batch))
        for layer in layers
        if layer.attention  # it has, or the layer were not among them
    ]
    tokens = max(max(layer.attention.queries, layer.attention.keys) for layer in layers if layer.attention)
    name = word(str(capture.provenance.get("model", "")).rpartition("/")[2] or "model")
    says = f"{name}{f', {chosen}' if chosen else ''}, {tokens} tokens"
    return Layers(tuple(layer.number for layer in layers), maps, says, tokens > SIDE)


def layers_of_trace(trace: Trace) -> Layers:
    """The maps of all layers of a trace.

    Raises:
        ValueError: it has no weights.
    """
    found = [one for name, one in trace.items() if taken_apart(name)[1] == "weights" and not one.origin]
    if not found:
        raise ValueError("kind: this trace has no map of weights; expected the name of one of its quantities")
    maps = [
        np.ma.masked_array(one.values, False if one.masked is None else one.masked).reshape(
            -1, *one.shape[-2:]
        )
        for one in found
    ]
    return Layers(tuple(range(len(maps))), maps, f"{maps[0].shape[-1]} tokens", False)


def scores(capture: Capture, score: str, look: Look, tower: str | None, batch: int, ax: Axes | None) -> Axes:
    """One score of every head, as a matrix of layers by heads.

    Raises:
        ValueError: there is no such score.
        LookupError: there is no such tower or sequence.
    """
    if score not in SCORES:
        raise ValueError(f"score: {score!r} is none; expected one of {', '.join(SCORES)}")
    table = head_statistics(capture, _tower(capture, tower), batch)
    numbers = sorted({head.layer for head in table})
    values = np.full((len(numbers), 1 + max(head.head for head in table)), np.nan)
    for head in table:
        known = getattr(head, score)
        values[numbers.index(head.layer), head.head] = np.nan if known is None else known
    largest = float(np.nanmax(values, initial=0.0)) or 1.0
    says = f"{score} ({SIZES[score]})" if score in SIZES else f"{score}: {SCORES[score]}"
    panel = Panel(
        says, says, values, np.zeros(values.shape, dtype=bool), Side("layer", tuple(numbers)),
        Side("head", tuple(range(values.shape[1]))), True, largest if score in SIZES else 1.0, absent="–",
    )  # fmt: skip
    if ax is not None:
        draw_matrix(ax, panel, look)
        return ax
    draw = partial(draw_matrix, panel=panel, look=look)
    found: Axes = together([Drawing(draw, values.shape[1], len(values), WIDEST)], look)[0]
    return found


def _tower(capture: Capture, tower: str | None) -> str:
    if tower is not None and tower not in capture.towers:
        raise LookupError(f"tower: {tower!r} is none of this model's; expected {capture.tower_names}")
    return capture.main if tower is None else tower


def _draw(ax: Axes, layers: Layers, look: Look) -> None:
    heads, count = max(len(maps) for maps in layers.maps), len(layers.maps)
    ax.set(xlim=(-0.5, heads - 0.5), ylim=(count - 0.5, -0.5))
    picture, strokes, crosses, frames = _picture(layers, heads)
    place: Any = {
        "interpolation": "none", "aspect": "auto", "extent": (-0.5, heads - 0.5, count - 0.5, -0.5), "zorder": 0
    }  # fmt: skip
    shown = ax.imshow(picture, look.theme.weights_map, Normalize(0, 1), **place)
    marks = {HATCHED: (strokes, look.theme.hatch), NO_NUMBER: (crosses, look.theme.soft)}
    for dots, colour in marks.values():
        if dots.any():
            ax.imshow(np.ma.masked_array(dots, ~dots), ListedColormap([colour]), **place)
    remark(ax, [mark for mark, (dots, _) in marks.items() if dots.any()], look)
    ax.add_collection(LineCollection(frames, colors=look.theme.hatch, linewidths=0.4, zorder=1))
    rows, columns = Side("layer", layers.numbers), Side("head", tuple(range(heads)))
    width, height = cell_size(ax, heads, count)
    label_rows(ax, rows, height, look)
    label_columns(ax, columns, width, look)
    for side in ax.spines.values():
        side.set_visible(False)
    what = "the largest weight of each part" if layers.pooled else "the weights"
    says = f"{layers.says}: {what} of every head, queries downwards, keys to the right"
    title(ax, plain(says))
    ax.set_label(f"{says}; {count} layers × {heads} heads")
    scale(ax, shown, True, 1.0, look)


def _picture(
    layers: Layers, heads: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[list[tuple[float, float]]]]:
    """All maps in one picture, with gaps between them; the strokes over what is masked; what is no number; the frames.

    The strokes are dots of a picture, as the maps are: of thousands of maps they would be a large drawing.
    """
    longest = max(max(maps.shape[1:]) for maps in layers.maps)
    dots = longest * -(-DOTS // longest)
    block = dots + max(2, round(GAP * dots))
    picture = np.full((len(layers.maps) * block, heads * block), np.nan)
    strokes, crosses = np.zeros((2, *picture.shape), dtype=bool)
    frames = []
    diagonal = np.add.outer(np.arange(dots), np.arange(dots)) * STROKES / dots % 1 < STROKE
    edge, inside = (block - dots) // 2, dots / block
    for row, maps in enumerate(layers.maps):
        down, right = (np.arange(dots) * size // dots for size in maps.shape[1:])
        for head, weights in enumerate(maps):
            y, x = row * block + edge, head * block + edge
            part, shown = (slice(y, y + dots), slice(x, x + dots)), weights[np.ix_(down, right)]
            hidden, shown = np.ma.getmaskarray(shown), np.ma.getdata(shown)
            picture[part], strokes[part] = np.where(hidden, 0.0, np.nan_to_num(shown)), hidden & diagonal
            crosses[part] = ~hidden & np.isnan(shown)
            left, top = x / block - 0.5, y / block - 0.5
            corners = [(0.0, 0.0), (inside, 0.0), (inside, inside), (0.0, inside), (0.0, 0.0)]
            frames.append([(left + dx, top + dy) for dx, dy in corners])
    return np.ma.masked_invalid(picture), strokes, crosses, frames
