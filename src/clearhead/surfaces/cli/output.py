"""Writing to the terminal: its width, its colours, its encoding, and words that nobody has checked."""

from __future__ import annotations

import codecs
import json
import os
import sys
from collections.abc import Iterable
from itertools import islice
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.text import Text

AT_A_TIME = 100

READABLE = 88
"""Columns after which prose is wrapped even in a wide terminal."""

PIPED = 1_000_000
"""Columns where there is no terminal: whoever reads the output gets whole lines."""

ASCII = {
    "−": "-", "∞": "inf", "≈": "~", "√": "sqrt ", "·": "*", "×": "x", "Σ": "sum", "′": "'", "…": "...", "“": '"',
    "”": '"', "≤": "<=", "╱": "/", "─": "-", "→": "->", "↓": "v", "⌊": "floor(", "⌋": ")", "–": "-",
    "✓": "*", "∂": "d", "η": "eta", "ε": "eps", "λ": "lambda", "μ": "mu", "β": "beta", "₁": "1", "₂": "2", "←": "<-",
    "▁": "1", "▂": "2", "▃": "3", "▄": "4", "▅": "5", "▆": "6", "▇": "7", "█": "8",
}  # fmt: skip
"""What is written where the terminal or the pipe knows only ASCII."""


class _QuietConsole(Console):
    """A console whose reader may leave: `clearhead walk | head` is no mistake."""

    def on_broken_pipe(self) -> NoReturn:
        silence_output()
        raise typer.Exit(0)


def silence_output() -> None:
    """Send what is left of the output nowhere, so that nothing fails once more when the program ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def make_console() -> Console:
    """The console for stdout: as wide as the terminal, or endless when piped; NO_COLOR and FORCE_COLOR are honoured."""
    console = _QuietConsole(highlight=False, markup=False, emoji=False, soft_wrap=True)
    if not sys.stdout.isatty() and "COLUMNS" not in os.environ:
        console.width = PIPED
    return console


def print_lines(console: Console, lines: Iterable[Text]) -> None:
    """Print lines that have their final width already, some at a time, so that the first need not wait for the last."""
    remaining = iter(lines)
    if console.color_system is None:
        _print_plain(console, remaining)
    while some := list(islice(remaining, AT_A_TIME)):
        for line in some:
            line.rstrip()
        console.print(Text("\n").join(some))


def _print_plain(console: Console, lines: Iterable[Text]) -> None:
    """The same without colours, where rich would spend its time on styles that nobody sees."""
    try:
        for line in lines:
            console.file.write(line.plain.rstrip() + "\n")
        console.file.flush()
    except BrokenPipeError:
        console.on_broken_pipe()


def print_json(data: Any) -> None:
    """Print JSON: ASCII only, so that any pipe can carry it; there is no NaN or Infinity in it."""
    console = make_console()
    console.print(
        Text(
            json.dumps(data, ensure_ascii=True, allow_nan=False, indent=None if console.width == PIPED else 2)
        )
    )


def printable(text: str) -> str:
    """The text with every character that could steer a terminal written as an escape.

    Words come from files that a person may have been given: a word could hold the codes that clear the screen, or
    turn the direction of writing.
    """
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode()
        for char in text
    )


def survive_ascii() -> None:
    """Make stdout and stderr write something readable where their encoding lacks a character."""
    codecs.register_error("clearhead", _in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="clearhead")


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(ASCII.get(char, "?") for char in lacking), error.end
