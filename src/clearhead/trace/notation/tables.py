"""Matrices as tables for papers, web pages and spreadsheets: LaTeX, Markdown and TSV.

The words in their margins are untrusted text. In each form they stay text: see `prose` for LaTeX and Markdown; in TSV
a label begins with the position in brackets, so that no spreadsheet takes `=cmd` for a formula or `1/2` for a number.
A weight that is 0 because its cell is masked is written as that word, in every form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from clearhead.core.expression import Symbol
from clearhead.messages.values import Digits
from clearhead.trace.notation import latex as tex
from clearhead.trace.notation.grids import Grid, Label, grids
from clearhead.trace.notation.numbers import MINUS, digits_of, format_number
from clearhead.trace.notation.prose import latex_prose, markdown_prose
from clearhead.trace.quantity import Quantity

MASKED = "masked"


def latex(quantity: Quantity, digits: Digits, head: int | None = None) -> str:
    """A `tabular` for each matrix; it needs the package amsmath.

    Raises:
        IndexError: there is no such head.
        ValueError: numbers are not written with so many digits.
    """
    decimals = digits_of(digits)
    return "\n\n".join("\n".join(_latex(grid, decimals)) for grid in grids(quantity, head))


def markdown(quantity: Quantity, digits: Digits, head: int | None = None) -> str:
    """A pipe table for each matrix, as GitHub, GitLab and notebooks read them.

    Raises:
        IndexError: there is no such head.
        ValueError: numbers are not written with so many digits.
    """
    decimals = digits_of(digits)
    return "\n\n".join("\n".join(_markdown(grid, decimals)) for grid in grids(quantity, head))


def tsv(quantity: Quantity, digits: Digits, head: int | None = None) -> str:
    """One table of tab-separated values for all matrices, which of them it is in the first column.

    Numbers have an ASCII minus; −∞ is written so, because spreadsheets would take "-inf" for a formula.

    Raises:
        IndexError: there is no such head.
        ValueError: numbers are not written with so many digits.
    """
    decimals, lines = digits_of(digits), list[str]()
    for grid in grids(quantity, head):
        if not lines:
            outer = [axis for axis, _ in grid.of]
            corner = grid.axes[0] or grid.name
            columns = map(_tsv_label, grid.columns) if grid.axes[1] else [""]
            lines.append("\t".join([*outer, corner, *columns]))
        before = [str(place) for _, place in grid.of]
        for at, label in enumerate(grid.rows):
            named = _tsv_label(label) if grid.axes[0] else ""
            lines.append(
                "\t".join([*before, named, *_cells(grid, at, lambda value: _plain(value, decimals))])
            )
    return "\n".join(lines) + "\n"


def _cells(grid: Grid, row: int, written: Callable[[float], str]) -> Iterator[str]:
    """The cells of a row: a number as it is written, or the word."""
    for column, value in enumerate(grid.values[row]):
        yield MASKED if grid.is_masked(row, column) else written(float(value))


def _plain(value: float, digits: Digits) -> str:
    """A number as programs read it; what is none as it is written for people."""
    written = format_number(value, digits)
    return written if "∞" in written else written.replace(MINUS, "-")


def _tsv_label(label: Label) -> str:
    """A place; its word has no tabs and no line breaks, as these have been made visible."""
    return str(label.number) if label.word is None else f"[{label.number}] {label.word}"


def _latex(grid: Grid, digits: Digits) -> Iterator[str]:
    width = len(grid.columns)
    title = f"${tex.symbol(Symbol(grid.name))}$" + "".join(f", {axis} {place}" for axis, place in grid.of)
    yield rf"\begin{{tabular}}{{r|{'r' * width}}}"
    yield rf"\multicolumn{{{width + 1}}}{{l}}{{{title}}} \\"
    arrows = zip(grid.axes, (r"$\downarrow$", r"$\rightarrow$"), strict=True)
    corner = r"\ ".join(f"{axis} {arrow}" for axis, arrow in arrows if axis)
    if grid.axes[1]:
        yield " & ".join([corner, *map(_latex_label, grid.columns)]) + r" \\"
    yield r"\hline"
    for at, label in enumerate(grid.rows):
        named = _latex_label(label) if grid.axes[0] else ""
        numbers = _cells(grid, at, lambda value: f"${tex.number(format_number(value, digits))}$")
        yield " & ".join([named, *numbers]) + r" \\"
    yield r"\end{tabular}"


def _latex_label(label: Label) -> str:
    return str(label.number) if label.word is None else f"{label.number} {latex_prose(label.word)}"


def _markdown(grid: Grid, digits: Digits) -> Iterator[str]:
    title = markdown_prose(grid.name) + "".join(f", {axis} {place}" for axis, place in grid.of)
    ways = " ".join(f"{axis} {to}" for axis, to in zip(grid.axes, "↓→", strict=True) if axis)
    corner = f"{title}: {ways}" if ways else title
    yield _row([corner, *(map(_markdown_label, grid.columns) if grid.axes[1] else [""])])
    yield _row(["---", *("--:" for _ in grid.columns)])
    for at, label in enumerate(grid.rows):
        named = _markdown_label(label) if grid.axes[0] else ""
        yield _row([named, *_cells(grid, at, lambda value: format_number(value, digits))])


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _markdown_label(label: Label) -> str:
    return str(label.number) if label.word is None else f"{label.number} {markdown_prose(label.word)}"
