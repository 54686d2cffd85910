"""One cell worked out, as lines of text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from clearhead.messages import Explanation
from clearhead.messages.values import Digits
from clearhead.surfaces.cli.marks import in_words
from clearhead.surfaces.cli.prose import wrapped
from clearhead.surfaces.cli.sheet import INDENT
from clearhead.trace.explanation import Explanation as Worked
from clearhead.trace.notation.numbers import format_number
from clearhead.trace.trace import Trace


def why_lines(
    view: Explanation, trace: Trace, console: Console, digits: Digits, *, head: str = "", more: int = 0
) -> Iterator[Text]:
    """The cell and its place, the arithmetic, where it came from, where it goes.

    Args:
        view: the cell.
        trace: what it is of.
        console: where it is to be printed.
        digits: how numbers are written.
        head: what stands before the names of cells, "L3H1." if they are of a captured model.
        more: how many cells it was made of beside those in the view.
    """
    place = in_words(trace, trace[view["quantity"]].axes, view["index"])
    yield Text.assemble((f"{head}{view['label']}", "bold"), "  ", place)
    yield Text("")
    yield from _arithmetic(view, console)
    if view["sources"]:
        yield from [Text(""), Text("Came from", "bold")]
        yield from _sources(view, trace, digits, head)
        if more:
            yield Text(f"{' ' * INDENT}and {more} more")
    yield from [
        Text(""),
        Text("Goes to" if view["feeds"] else "Goes nowhere: nothing is made from this cell", "bold"),
    ]
    yield from _feeds(view, trace, head)


def written(why: Worked, form: str, digits: Digits) -> str:
    """The cell for a document: as "latex" or "markdown"."""
    return why.latex(digits) if form == "latex" else why.markdown(digits)


def _arithmetic(view: Explanation, console: Console) -> Iterator[Text]:
    """The lines of `str(why)`, folded so that what continues stands under the numbers."""
    under = len(view["label"]) + 3
    rows = view["text"].splitlines()
    for row in rows:
        worked = row.startswith((view["label"], " "))
        text = Text(row, "" if worked else "dim")
        text.highlight_regex(f"^{re.escape(view['label'])}", "bold")
        if row == rows[-1 - ("note" in view)]:
            text.stylize("bold")
        yield from _hanging(text, console, under if worked else INDENT)


def _hanging(text: Text, console: Console, hanging: int) -> Iterator[Text]:
    """The line, with its own leading blanks kept."""
    blanks = len(text.plain) - len(text.plain.lstrip())
    body = text[blanks:]
    yield from wrapped(body, console, indent=INDENT + blanks, hanging=max(0, hanging - blanks))


def _sources(view: Explanation, trace: Trace, digits: Digits, head: str) -> Iterator[Text]:
    """A row for each cell that this one was made of: its name, its value, its place."""
    rows = []
    for source in view["sources"]:
        name, index = source["quantity"], source["index"]
        value = format_number(trace[name].number(tuple(index)), digits)
        rows.append((head + _label(name, index), value, in_words(trace, trace[name].axes, index)))
    names, values = (max(len(row[column]) for row in rows) for column in (0, 1))
    for label, value, place in rows:
        yield Text(f"{' ' * INDENT}{label:{names}}  {value:>{values}}  ") + place


def _feeds(view: Explanation, trace: Trace, head: str) -> Iterator[Text]:
    """A row for each pattern of cells made from this one; ":" stands for every index of an axis."""
    rows = [
        (head + _label(feed["quantity"], cells), in_words(trace, trace[feed["quantity"]].axes, cells))
        for feed in view["feeds"]
        for cells in feed["cells"]
    ]
    width = max((len(label) for label, _ in rows), default=0)
    for label, place in rows:
        yield Text(f"{' ' * INDENT}{label:{width}}  ") + place


def _label(name: str, index: Sequence[int | None]) -> str:
    places = ",".join(":" if number is None else str(number) for number in index)
    return f"{name}[{places}]" if index else name  # loss has no index
