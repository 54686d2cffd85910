"""The training loop in numbers: the loss worked, the gradients on the way back, and what an update does to a number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from rich.console import Console
from rich.text import Text

from clearhead.core.names import taken_apart
from clearhead.messages.values import Digits
from clearhead.surfaces.cli.prose import wrapped
from clearhead.surfaces.cli.sheet import INDENT
from clearhead.trace.notation.numbers import format_number
from clearhead.trace.notation.text import expression
from clearhead.trace.quantity import Quantity
from clearhead.trace.trace import Trace


def loss_worked(trace: Trace, console: Console, digits: Digits) -> Iterator[Text]:
    """The loss of every position, and their mean, each on one line."""
    for position in range(len(trace.tokens)):
        yield from one_line(trace["losses"], (position,), console, digits)
    yield from one_line(trace["loss"], (), console, digits)


def updates_worked(
    trace: Trace, parameters: Sequence[str], console: Console, digits: Digits
) -> Iterator[Text]:
    """Of each parameter the number that moves most, with its update."""
    for name in parameters:
        after = trace[f"{name}_next"]
        moved = after.values - trace[name].values
        if moved.any():
            yield from one_line(after, largest_at(moved), console, digits)
        else:
            yield Text.assemble(" " * INDENT, (name, "bold"), ": no number moves")


def gradients_found(trace: Trace) -> list[Quantity]:
    """The gradients, in the order in which they were made: from the loss back to E."""
    return [one for name, one in trace.items() if taken_apart(name)[1].startswith("d")]


def way_back(trace: Trace, console: Console, digits: Digits) -> Iterator[Text]:
    """A line for each gradient: its largest number and where that stands, and how it is made."""
    rows = [_row(gradient, digits) for gradient in gradients_found(trace)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for name, value, place, formula in rows:
        start = f"{name:{widths[0]}}  {value:>{widths[1]}}  {place:{widths[2]}}  "
        line = Text(start) + Text(formula, "dim")
        yield from wrapped(line, console, indent=INDENT, hanging=2 * INDENT)


def _row(gradient: Quantity, digits: Digits) -> tuple[str, str, str, str]:
    index = largest_at(gradient.values)
    value = format_number(float(gradient.values[index]), digits)
    place = f"[{','.join(map(str, index))}]" if index else ""
    formula = gradient.formula()
    made = f"= {expression(formula.right)}" if formula else ""
    return gradient.name, value, place, made.replace(taken_apart(gradient.name)[0] or "\0", "")


def one_line(quantity: Quantity, index: tuple[int, ...], console: Console, digits: Digits) -> list[Text]:
    """A cell and its arithmetic on one line, folded if it must be."""
    why = quantity.explain(*index)
    steps = [f"{line.relation} {expression(line.tree)}" for line in why.lines(digits)]
    text = Text.assemble(
        (why.label, "bold"), f" {' '.join(steps)}", (f"  ({why.note})" if why.note else "", "dim")
    )
    return wrapped(text, console, indent=INDENT, hanging=2 * INDENT)


def largest_at(values: np.ndarray) -> tuple[int, ...]:
    """Where the largest magnitude stands, the first of several."""
    return tuple(int(number) for number in np.unravel_index(np.argmax(np.abs(values)), values.shape))
