"""The visual language in the terminal: a colour for each position, a tint for each value.

A position is its number on a patch of its colour, then its word; a patch is legible whatever the terminal's own
colours are. Values tint their cell as on the page: blue below zero, orange above, green for weights.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text

from clearhead.core.axes import HIDDEN, JOINED, MODEL, SENTENCE_AXES, VOCABULARY
from clearhead.lenses.palette import position_colour
from clearhead.trace.notation.tokens import visible_token
from clearhead.trace.trace import Trace

STEPS = 32
"""Steps of a scale of values, as on the page: finer than the eye."""

DIM = Style(dim=True)

LONGEST_WORD = 14
"""Columns that a word may take in a label; a longer one is cut, and ends in "…"."""

PAGE = {"light": "#ffffff", "dark": "#16181d"}
INK = {"light": "#1b1c1f", "dark": "#ececee"}
ENDS = {
    "above": {"light": "#f39340", "dark": "#894700"},
    "below": {"light": "#63adf6", "dark": "#005a9f"},
    "weights": {"light": "#49bea8", "dark": "#006b5b"},
}
"""Where the scales of values end; they begin at the page's colour. The page's own scales end there too."""


@cache
def theme() -> str:
    """Light or dark, as far as the terminal tells: COLORFGBG ends with the number of its background colour."""
    background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    return "light" if background in ("7", "15") else "dark"


def word(text: str) -> str:
    """A word of the sentence, fit for a label."""
    shown = visible_token(text)
    return shown if cell_len(shown) <= LONGEST_WORD else set_cell_size(shown, LONGEST_WORD - 1).rstrip() + "…"


def chip(position: int, tokens: Sequence[str]) -> Text:
    """A position: its number on its colour, and its word."""
    colour = position_colour(position, len(tokens), theme())
    ink = max(("#ffffff", "#000000"), key=lambda candidate: _contrast(candidate, colour))
    return Text.assemble(
        (str(position), Style(color=ink, bgcolor=colour, bold=True)), " ", word(tokens[position])
    )


def on_axis(trace: Trace, axis: str, number: int | None, called: str) -> Text:
    """One place on an axis, `called` so, in words: query 3 the, row cat, column 2; None: every place."""
    if number is None:
        return Text.assemble("every ", (called, "dim"))
    words = trace.words(axis)
    if axis in SENTENCE_AXES and number < len(words):
        shown = chip(number, words)
    elif axis == VOCABULARY and number < len(words):
        shown = Text(word(words[number]))
    else:
        shown = Text(str(number))
    return Text.assemble((called, "dim"), " ", shown)


CALLED = {MODEL: "column", JOINED: "column", HIDDEN: "column", VOCABULARY: "word"}


def in_words(trace: Trace, axes: Sequence[str], index: Sequence[int | None]) -> Text:
    """A place on several axes: head 0 · query 3 the · key 1 dog. A word that has a row, as in E, is called a row."""
    called = [CALLED.get(axis, axis) for axis in axes]
    if axes and axes[0] == VOCABULARY:
        called[0] = "row"
    places = zip(axes, index, called, strict=True)
    return Text(" · ").join(on_axis(trace, axis, number, name) for axis, number, name in places)


def sentence(tokens: Sequence[str]) -> Text:
    """All words, each with its position."""
    return Text("  ").join(chip(position, tokens) for position in range(len(tokens)))


def tint(value: float, scale: str, largest: float) -> Style:
    """The style of a cell that holds `value`.

    Args:
        value: the number; zero and −∞ have no tint.
        scale: "weights" (0 to 1) or "signed" (up to `largest` either way).
        largest: the largest finite magnitude of the matrix.
    """
    size = abs(value) if scale == "weights" else abs(value) / largest if largest else 0
    if value == 0 or size > 1:
        return DIM
    return _step(
        "below" if value < 0 else "weights" if scale == "weights" else "above", round(size * STEPS), theme()
    )


@cache
def _step(end: str, step: int, background: str) -> Style:
    return Style(color=INK[background], bgcolor=_mixed(PAGE[background], ENDS[end][background], step / STEPS))


def _mixed(start: str, end: str, share: float) -> str:
    pairs = zip(_channels(start), _channels(end), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _channels(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def _contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2.2, 1 to 21."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (v / 255 for v in _channels(colour))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
