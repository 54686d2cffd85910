"""The statistics of heads in the terminal: a picture of all heads by one score, and a table of all scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.style import Style
from rich.text import Text

from clearhead.lenses.statistics import SCORES, HeadStatistics, HeadTable
from clearhead.surfaces.cli.captured_lines import title
from clearhead.surfaces.cli.losses import HEIGHTS
from clearhead.surfaces.cli.marks import DIM, tint
from clearhead.surfaces.cli.prose import wrapped
from clearhead.surfaces.cli.sheet import INDENT
from clearhead.trace.capture.capture import Capture
from clearhead.trace.notation.numbers import format_number

DRAWN = "first"
"""The score that is drawn where none is asked for: every model with attention has it."""

OPEN_ENDED = ("entropy", "distance")
"""The scores that are no shares."""

Cell = tuple[str, Style]

NOTHING, ZERO = "–", "."
"""Stand for a score that is not defined, and for one that is 0, or as good as."""


def heads_lines(
    capture: Capture, table: HeadTable, chosen: HeadTable, sort: str | None, console: Console
) -> Iterator[Text]:
    """The title, the picture of all heads, and the table of those that were chosen."""
    drawn = sort or DRAWN
    yield title(capture)
    yield Text("")
    yield from picture(table, drawn, console)
    yield Text("")
    yield from rows(chosen, sort)


def picture(table: HeadTable, score: str, console: Console) -> Iterator[Text]:
    """A cell for each head, a line for each layer, the higher the larger."""
    values = [value for head in table if (value := getattr(head, score)) is not None]
    largest = max(values, default=0.0) if score in OPEN_ENDED else 1.0
    scale = f"{HEIGHTS} up to {format_number(largest)}, {ZERO} almost nothing"
    yield from wrapped(f"{score}: {SCORES[score]}; {scale}", console, style="bold")
    if not values:
        yield Text(f"{' ' * INDENT}no head has this score")
        return
    layers: dict[str, list[HeadStatistics]] = {}
    for head in table:
        layers.setdefault(head.label.rpartition("H")[0], []).append(head)
    margin = max(map(len, [*layers, "head"]))
    count = max(len(heads) for heads in layers.values())
    width = len(str(count - 1)) + 1
    numbers = "".join(f"{number:>{width}}" for number in range(count))
    yield Text(f"{' ' * INDENT}{'head':<{margin}}{numbers}", "dim")
    for label, heads in layers.items():
        line = Text(f"{' ' * INDENT}{label:<{margin}}")
        for head in heads:
            line += Text(" " * (width - 1)) + _drawn(getattr(head, score), largest)
        yield line


def _drawn(value: float | None, largest: float) -> Text:
    if value is None:
        return Text(NOTHING, DIM)
    share = value / largest if largest else 0.0
    height = math.floor(min(1.0, share) * len(HEIGHTS))  # an eighth is the lowest block
    if height == 0:
        return Text(ZERO, DIM)
    return Text(HEIGHTS[height - 1], tint(min(1.0, share), "weights", 1))


def rows(table: HeadTable, sort: str | None) -> Iterator[Text]:
    """A line for each head, a column for each score that some head has."""
    names = table.scores
    yield from lined(names, sort, [(head.label, [cell(head, name) for name in names]) for head in table])


def lined(
    names: Sequence[str], sort: str | None, heads: Iterable[tuple[str, Sequence[Cell]]]
) -> Iterator[Text]:
    """The titles, and a line for each head: its label and its cells, under each other."""
    cells = [[(label, Style()), *others] for label, others in heads]
    titles = [("head", DIM), *((name, Style(bold=True) if name == sort else DIM) for name in names)]
    widths = [max(len(row[at][0]) for row in [titles, *cells]) for at in range(len(titles))]
    for row in [titles, *cells]:
        yield _line(row, widths)


def _line(row: Sequence[Cell], widths: Sequence[int]) -> Text:
    (label, style), *others = row
    line = Text(" " * INDENT) + Text(f"{label:<{widths[0]}} ", style)
    for (text, style), width in zip(others, widths[1:], strict=True):
        line += Text(f"{text:>{width + 1}} ", style)
    return line


def cell(head: HeadStatistics, name: str) -> Cell:
    """A score as it is written, and how it is tinted."""
    value: float | None = getattr(head, name)
    if value is None:
        return NOTHING, DIM
    style = Style() if name in OPEN_ENDED else tint(min(1.0, round(value, 2)), "weights", 1)
    return format_number(value), style
