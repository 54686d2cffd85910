"""The walk through the steps as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from clearhead.lenses.walkthrough import Aside, Stop
from clearhead.lenses.walkthrough import stops as all_stops
from clearhead.messages.values import Digits
from clearhead.surfaces.cli.marks import sentence
from clearhead.surfaces.cli.output import READABLE, printable
from clearhead.surfaces.cli.prose import wrapped
from clearhead.surfaces.cli.reading import Reading
from clearhead.surfaces.cli.sheet import INDENT, MASKED, shape_in_words

NOWHERE = Text("")


def walk_lines(reading: Reading, stops: list[Stop], console: Console, digits: Digits) -> Iterator[Text]:
    """The heading and the steps.

    Args:
        reading: what to print.
        stops: which steps.
        console: tells the width.
        digits: how numbers are written.
    """
    yield from heading(reading, console)
    for reason in reading.trace.provenance["left_out"]:
        yield from [NOWHERE, *wrapped(printable(reason), console)]
    seen: set[str] = set()
    for stop in stops:
        yield from [NOWHERE, _rule(f"{all_stops().index(stop) + 1}  {stop.title}", console), NOWHERE]
        yield from _paragraphs(stop.paragraphs(reading.trace), console)
        yield from _matrices(reading, stop.quantities, console, digits, seen)
        for aside in stop.answered(reading.trace):
            yield from _aside(reading, aside, console, digits, seen)


def heading(reading: Reading, console: Console) -> Iterator[Text]:
    """Title, what to look for, the sentence and the switches."""
    example, settings = reading.example, reading.example.settings
    yield from wrapped(printable(example.title or example.name), console, style="bold")
    yield from wrapped(printable(example.look_for), console)
    yield NOWHERE
    yield from wrapped(sentence(reading.trace.tokens), console, indent=INDENT)
    yield NOWHERE
    mask = (
        settings.mask
        if settings.mask == "none"
        else f"{settings.mask} (filled with {settings.mask_fill.replace('-inf', '−∞')})"
    )
    switches = (
        f"heads {settings.heads}", f"d_model {example.d_model}", f"d_head {example.W_Q.shape[1] // settings.heads}",
        f"mask {mask}", f"scaling {'on' if settings.scale else 'off'}", f"positions {settings.positions}",
    )  # fmt: skip
    yield from wrapped(" · ".join(switches), console, indent=INDENT, style="dim")


def _rule(title: str, console: Console) -> Text:
    """The step's title on a line that is as long as the prose is wide."""
    length = min(console.width, READABLE) - len(title) - 4
    return Text.assemble(("── ", "dim"), (title, "bold"), (" " + "─" * max(3, length), "dim"))


def _paragraphs(text: tuple[str, ...], console: Console) -> Iterator[Text]:
    for paragraph in text:
        yield from wrapped(paragraph, console)
        yield NOWHERE


def _matrices(
    reading: Reading, names: tuple[str, ...], console: Console, digits: Digits, seen: set[str]
) -> Iterator[Text]:
    """The matrices that are new, and a line on those that stand above."""
    present = [name for name in names if name in reading.trace]
    again = [name for name in present if name in seen]
    if again:
        yield from wrapped(f"Printed above: {', '.join(again)}", console, indent=INDENT, style="dim")
        yield NOWHERE
    for name in present:
        if name not in seen:
            seen.add(name)
            yield from _matrix(reading, name, console, digits)


def _matrix(reading: Reading, name: str, console: Console, digits: Digits) -> Iterator[Text]:
    """Name, what it is, its formula, its sizes, and every number."""
    quantity, formula = reading.trace[name], reading.formula(name)
    title = Text.assemble((name, "bold"), "  ", reading.views[name]["says"])
    yield from wrapped(title, console, hanging=INDENT)
    if formula:
        yield from wrapped(formula, console, indent=INDENT, hanging=INDENT)
    shape = shape_in_words(quantity.axes, quantity.shape)
    legend = "" if reading.forbidden(name) is None else f" · {MASKED}"
    yield from wrapped(shape + legend, console, indent=INDENT, style="dim")
    for of, sheet in reading.sheets(name):
        if of.plain and quantity.shape[0] > 1:
            yield Text(" " * INDENT) + of
        yield from sheet.lines(console.width, digits)
        yield NOWHERE


def _aside(
    reading: Reading, aside: Aside, console: Console, digits: Digits, seen: set[str]
) -> Iterator[Text]:
    yield from [Text(aside.title, "bold"), NOWHERE]
    yield from _paragraphs(aside.text, console)
    yield from _matrices(reading, aside.quantities, console, digits, seen)
