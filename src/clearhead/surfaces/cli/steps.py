"""The walk through the steps as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from clearhead.lenses.walkthrough import Aside, Stop
from clearhead.messages.values import Digits
from clearhead.surfaces.cli.heading import heading
from clearhead.surfaces.cli.loop import loss_worked, updates_worked, way_back
from clearhead.surfaces.cli.output import READABLE, printable
from clearhead.surfaces.cli.prose import wrapped
from clearhead.surfaces.cli.reading import Reading
from clearhead.surfaces.cli.sheet import INDENT, MASKED, shape_in_words
from clearhead.surfaces.cli.vocabulary import CAME, next_words

NOWHERE = Text("")

ONCE = {"embeddings": 0, "next-word": -1, "loss": -1}
"""Steps that a model has once, however many layers there are, and the layer that they are read in."""


class Step(NamedTuple):
    """A stop as it is printed: which layer it is read in, and its number there."""

    reading: Reading
    stop: Stop
    number: int


def walk_lines(steps: Sequence[Step], console: Console, digits: Digits, loop: bool) -> Iterator[Text]:
    """The heading and the steps.

    Args:
        steps: what to print; at least one.
        console: tells the width.
        digits: how numbers are written.
        loop: end with the way back at a glance.
    """
    reading = steps[0].reading
    yield from heading(reading, console)
    for reason in dict.fromkeys(
        reason for step in steps for reason in step.reading.trace.provenance["left_out"]
    ):
        yield from [NOWHERE, *wrapped(printable(reason), console)]
    seen: set[str] = set()
    for step in steps:
        yield from [NOWHERE, _rule(_title(step), console), NOWHERE]
        yield from _Page(step.reading, console, digits, seen).lines(step.stop)
    if loop:
        yield from [NOWHERE, _rule("The way back, at a glance", console), NOWHERE]
        yield from _paragraph(
            "Every gradient in the order in which it is made, from the loss back to E: its largest number, where that "
            "stands, and what it is made of.", console
        )  # fmt: skip
        yield from way_back(reading.trace, console, digits)


def _title(step: Step) -> str:
    """The number and the title, after the layer where there are several and each has the step."""
    layer = step.reading.layer
    before = f"layer {layer.number} · " if layer.count > 1 and step.stop.id not in ONCE else ""
    return f"{before}{step.number}  {step.stop.title}"


def _rule(title: str, console: Console) -> Text:
    """The step's title on a line that is as long as the prose is wide."""
    length = min(console.width, READABLE) - len(title) - 4
    return Text.assemble(("── ", "dim"), (title, "bold"), (" " + "─" * max(3, length), "dim"))


def _paragraph(text: str, console: Console) -> Iterator[Text]:
    yield from wrapped(text, console)
    yield NOWHERE


class _Page(NamedTuple):
    """What a stop is printed with."""

    reading: Reading
    console: Console
    digits: Digits
    seen: set[str]

    def lines(self, stop: Stop) -> Iterator[Text]:
        """The stop's prose, its matrices, what else there is in numbers, and the questions beside it."""
        layer = self.reading.layer
        for text in stop.paragraphs(layer):
            yield from _paragraph(text, self.console)
        moving = [name for name in layer.moving if f"{name}_next" not in self.seen]
        yield from self._matrices(stop.shown(layer))
        yield from self._in_numbers(stop, moving)
        for aside in stop.answered(layer):
            if not (stop.each and self.seen.issuperset(aside.quantities)):  # the update of what has no layer
                yield from self._aside(aside)

    def _in_numbers(self, stop: Stop, moving: Sequence[str]) -> Iterator[Text]:
        """What matrices alone do not tell; `moving` are the parameters whose update has not been printed."""
        trace = self.reading.trace
        if stop.id == "next-word":
            came = f" ({CAME} stands at the word that came)" if len(trace.tokens) > 1 else ""
            title = f"What each position expects next{came}"
            yield from self._part(title, next_words(trace, self.console, self.digits))
        elif stop.id == "loss":
            yield from self._part("The loss, worked", loss_worked(trace, self.console, self.digits))
        elif stop.id == "update":
            worked = updates_worked(trace, moving, self.console, self.digits)
            yield from self._part("The number of each matrix that moves most", worked)

    def _part(self, title: str, lines: Iterator[Text]) -> Iterator[Text]:
        yield from wrapped(title, self.console, style="bold")
        yield from lines
        yield NOWHERE

    def _matrices(self, names: Sequence[str]) -> Iterator[Text]:
        """The matrices that are new, and a line on those that stand above."""
        again = [name for name in names if name in self.seen]
        if again:
            text = f"Printed above: {', '.join(again)}"
            yield from wrapped(text, self.console, indent=INDENT, style="dim")
            yield NOWHERE
        for name in names:
            if name not in self.seen:
                self.seen.add(name)
                yield from self._matrix(name)

    def _matrix(self, name: str) -> Iterator[Text]:
        """Name, what it is, its formula, its sizes, and every number."""
        reading, console = self.reading, self.console
        quantity, formula = reading.trace[name], reading.formula(name)
        title = Text.assemble((name, "bold"), "  ", reading.views[name]["says"])
        yield from wrapped(title, console, hanging=INDENT)
        if formula:
            yield from wrapped(formula, console, indent=INDENT, hanging=INDENT)
        legend = shape_in_words(quantity.axes, quantity.shape)
        if reading.forbidden(name) is not None:
            legend += f" · {MASKED}"
        if reading.leaves_words_out(name):
            legend += (
                f" · {len(reading.words)} words shown, the sentence's and the likeliest (--all-words: all)"
            )
        yield from wrapped(legend, console, indent=INDENT, style="dim")
        for of, sheet in reading.sheets(name):
            if of.plain and quantity.shape[0] > 1:
                yield Text(" " * INDENT) + of
            yield from sheet.lines(console.width, self.digits)
            yield NOWHERE

    def _aside(self, aside: Aside) -> Iterator[Text]:
        yield from [Text(aside.title, "bold"), NOWHERE]
        for text in aside.text:
            yield from _paragraph(text, self.console)
        yield from self._matrices(aside.quantities)
