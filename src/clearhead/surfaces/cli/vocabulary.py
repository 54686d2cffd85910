"""Which words of a large vocabulary are shown, and what the model expects to come next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

import numpy as np
from rich.console import Console
from rich.text import Text

from clearhead.messages.values import Digits
from clearhead.surfaces.cli.marks import chip, word
from clearhead.surfaces.cli.prose import wrapped
from clearhead.surfaces.cli.sheet import INDENT
from clearhead.trace.notation.numbers import format_number
from clearhead.trace.trace import Trace

MOST_WORDS = 24
"""Rows or columns of words that a matrix is printed with."""

LIKELIEST = 5
"""Words that the next-word table has for each position, if they fit."""

GAP = 2

CAME = "✓"
"""Stands before the word that really came."""


def words_shown(trace: Trace) -> Sequence[int]:
    """The rows of E to show: all of a small vocabulary; of a large one the sentence's words and the likeliest next."""
    size = len(trace.vocabulary)
    if size <= MOST_WORDS:
        return range(size)
    chosen = dict.fromkeys(_row_of(trace, token) for token in trace.tokens)
    if "probabilities" in trace:
        best = np.argsort(-trace["probabilities"].values, axis=1, kind="stable")
        chosen |= dict.fromkeys(best[:, :LIKELIEST].T.ravel().tolist())  # first what is likeliest anywhere
    return sorted(list(chosen | dict.fromkeys(range(size)))[:MOST_WORDS])


def next_words(trace: Trace, console: Console, digits: Digits) -> Iterator[Text]:
    """A line for each position: the likeliest words with their probabilities, and the one that came marked.

    There are as many words as fit side by side; folded, columns would not be columns.
    """
    heads = [chip(position, trace.tokens) for position in range(len(trace.tokens))]
    margin = max(head.cell_len for head in heads)
    for most in range(LIKELIEST, 0, -1):
        rows = [_row(trace, position, most, digits) for position in range(len(heads))]
        widths = [
            max(entry.cell_len for entry in column) for column in zip_longest(*rows, fillvalue=Text(""))
        ]
        if INDENT + margin + sum(GAP + width for width in widths) <= console.width:
            break
    for head, row in zip(heads, rows, strict=True):
        line = head + Text(" " * (margin - head.cell_len))
        for entry, width in zip(row, widths, strict=False):
            line += Text(" " * GAP) + entry + Text(" " * (width - entry.cell_len))
        yield from wrapped(line, console, indent=INDENT)


def _row(trace: Trace, position: int, most: int, digits: Digits) -> list[Text]:
    """The entries of one position; where the word that came is not among the likeliest, it is added with its place."""
    came = _came(trace, position)
    probabilities = trace["probabilities"].values[position]
    order = np.argsort(-probabilities, kind="stable").tolist()
    entries = [_entry(trace, row, probabilities[row], row == came, digits) for row in order[:most]]
    if came is not None and came not in order[:most]:
        place = f" ({_ordinal(order.index(came) + 1)})"
        entries.append(_entry(trace, came, probabilities[came], True, digits) + Text(place, "dim"))
    return entries


def _entry(trace: Trace, row: int, probability: float, came: bool, digits: Digits) -> Text:
    mark = CAME if came else " "
    style = "bold" if came else ""
    return Text(f"{mark} {word(trace.vocabulary[row])} {format_number(float(probability), digits)}", style)


def _ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th ... 11th, 12th, 13th ... 21st."""
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _came(trace: Trace, position: int) -> int | None:
    following = position + 1
    return _row_of(trace, trace.tokens[following]) if following < len(trace.tokens) else None


def _row_of(trace: Trace, token: str) -> int:
    return trace.vocabulary.index(token)
