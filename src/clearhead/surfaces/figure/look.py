"""How a figure is to look: its width, its theme, its numbers; and Matplotlib's settings while one is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Real

import matplotlib

from clearhead.messages.values import Digits
from clearhead.surfaces.figure.themes import THEMES, Theme
from clearhead.trace.notation.numbers import digits_of

WIDTHS = {"column": 3.35, "page": 6.9}
"""Inches: one column of a paper in two, and all of its width."""

TALLEST = 9.2
"""Inches that a figure may be high: with its caption a page."""

FONT = "DejaVu Sans"
"""Matplotlib brings it, so figures are the same everywhere; it has the signs that formulas and tokens need."""

TITLE, LABEL, AXIS, SMALL = 8.0, 7.0, 7.0, 5.5
"""Points: titles, tokens and numbers at most, axis names, and the least that is still read."""

DPI = 300
"""Dots an inch of a PNG."""


@dataclass(frozen=True)
class Look:
    """How a figure is to look.

    Attributes:
        width: inches.
        theme: its colours.
        digits: how numbers are written.
        numbers: whether they are, where they fit.
    """

    width: float = WIDTHS["column"]
    theme: Theme = THEMES["light"]
    digits: Digits = 2
    numbers: bool = True

    @classmethod
    def read(cls, width: object, theme: object, digits: object, numbers: bool) -> Look:
        """The look that was asked for.

        Raises:
            ValueError: there is no such; the message says what was expected.
        """
        inches = WIDTHS.get(width, 0) if isinstance(width, str) else width
        number = float(inches) if isinstance(inches, Real) and not isinstance(inches, bool) else 0.0
        if not 1 <= number <= 40:
            raise ValueError(f"width: expected 'column', 'page' or inches from 1 to 40, got {width!r}")
        if not isinstance(theme, str) or theme not in THEMES:
            raise ValueError(f"theme: expected one of {', '.join(THEMES)}, got {theme!r}")
        return cls(number, THEMES[theme], digits_of(digits), bool(numbers))

    @property
    def points(self) -> float:
        """The width in points, 72 an inch."""
        return self.width * 72

    @contextmanager
    def settings(self) -> Iterator[None]:
        """Draw with our settings whatever a person's own are, and leave theirs as they were."""
        with drawn_alike():
            theme = self.theme
            matplotlib.rcParams.update({
                "text.color": theme.ink, "axes.labelcolor": theme.soft, "axes.edgecolor": theme.soft,
                "axes.titlecolor": theme.ink, "xtick.color": theme.soft, "ytick.color": theme.soft,
                "xtick.labelcolor": theme.ink, "ytick.labelcolor": theme.ink, "axes.facecolor": theme.paper,
                "figure.facecolor": theme.paper, "hatch.color": theme.hatch,
            })  # fmt: skip
            yield


@contextmanager
def drawn_alike() -> Iterator[None]:
    """Matplotlib's own settings, and those without which a figure would not be the same everywhere."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({
            "font.family": [FONT], "mathtext.fontset": "dejavusans", "font.size": LABEL, "axes.titlesize": TITLE,
            "axes.labelsize": AXIS, "xtick.labelsize": LABEL, "ytick.labelsize": LABEL, "axes.linewidth": 0.6,
            "xtick.major.width": 0.6, "ytick.major.width": 0.6, "hatch.linewidth": 0.5, "lines.linewidth": 1.2,
            "text.hinting": "none", "figure.dpi": DPI, "savefig.dpi": DPI,
            "svg.fonttype": "none", "svg.hashsalt": "clearhead", "pdf.fonttype": 42,
        })  # fmt: skip
        yield
