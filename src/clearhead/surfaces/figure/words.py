"""Words in a figure. Tokens are untrusted: they are text, never markup and never a formula, and long ones are cut."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from matplotlib import font_manager
from matplotlib.cbook import is_math_text
from matplotlib.font_manager import FontProperties
from matplotlib.mathtext import MathTextParser
from matplotlib.textpath import text_to_path

from clearhead.core.expression import Symbol
from clearhead.surfaces.figure.look import FONT
from clearhead.trace.notation import latex
from clearhead.trace.notation.tokens import visible_token

LONGEST = 14
"""Characters that a word may have in a label; a longer one is cut, and ends in "…"."""

NO_FONT = "Last Resort"
"""A font that Matplotlib brings, with a box for every character there is."""

NO_CHARACTERS = {"\ufffe", "\uffff"}
"""What XML cannot hold beside the control characters, which are made visible anyway."""


def word(text: str) -> str:
    """A token as it is written: what cannot be seen made visible, what no font has as its number, long ones cut."""
    cut = text[
        : LONGEST + 2
    ]  # of 10,000 characters nobody looks at the rest; spaces at the end would be marks
    shown = "".join(
        character if _has_picture(character) else _numbered(character) for character in visible_token(cut)
    )
    return shown if len(shown) <= LONGEST and len(cut) == len(text) else shown[: LONGEST - 1].rstrip() + "…"


def plain(text: str) -> str:
    """The text so that Matplotlib takes no part of it for a formula, whatever its settings when it is drawn."""
    return text.replace("$", r"\$")


def families(text: str) -> list[str]:
    """The fonts that have the text's characters: our own, and others of this machine for those that it lacks."""
    others = (_other_font(character) for character in text if not _in(FONT, character))
    return list(dict.fromkeys([FONT, *(name for name in others if name)]))


def formula(text: str, otherwise: str) -> str:
    """The LaTeX as a formula; `otherwise` as text where Matplotlib's formulas cannot say it."""
    return f"${text}$" if can_be_set(text) else plain(otherwise)


def name_of(quantity: str) -> str:
    """The name of a quantity as formulas write it: W_Q with its Q below."""
    return formula(latex.symbol(Symbol(quantity)), quantity)


@cache
def can_be_set(text: str) -> bool:
    """Whether Matplotlib can set the LaTeX; it knows a part of it, which has no environments."""
    try:
        MathTextParser("path").parse(
            f"${text}$", 72, FontProperties(family=[FONT], math_fontfamily="dejavusans")
        )
    except (ValueError, RuntimeError):
        return False
    return True


def size_of(text: str, points: float, *, weight: str = "normal") -> tuple[float, float, float]:
    """Width, height and depth in points of a text, formulas between dollars in it or not."""
    is_formula = bool(is_math_text(text))
    shown = text if is_formula else text.replace(r"\$", "$")
    font = FontProperties(family=families(shown), size=points, weight=weight, math_fontfamily="dejavusans")
    width, height, depth = text_to_path.get_text_width_height_descent(shown, font, ismath=is_formula)
    return float(width), float(height), float(depth)


def wrapped(written: str, room: float, size: float) -> Iterator[str]:
    """A text in rows that are no wider than there is room, if its words are not."""
    row = ""
    for part in written.split(" "):
        longer = f"{row} {part}" if row else part
        if row and size_of(longer, size)[0] > room:
            yield row
            longer = part
        row = longer
    yield row


def _has_picture(character: str) -> bool:
    return character not in NO_CHARACTERS and (_in(FONT, character) or _other_font(character) is not None)


def _numbered(character: str) -> str:
    return f"‹U+{ord(character):04X}›"


def _in(family: str, character: str) -> bool:
    return ord(character) in _characters_of(font_manager.findfont(FontProperties(family=[family])))


@cache
def _characters_of(path: str) -> frozenset[int]:
    try:
        return frozenset(font_manager.get_font(path).get_charmap())
    except (OSError, RuntimeError):  # a font that is listed and damaged or gone
        return frozenset()


@cache
def _other_font(character: str) -> str | None:
    """The first font of this machine, by name, that has the character; None if none has."""
    listed = sorted(
        (one for one in font_manager.fontManager.ttflist if not one.name.startswith(NO_FONT)),
        key=lambda one: (one.style != "normal", one.weight != 400, one.name),
    )
    return next((one.name for one in listed if ord(character) in _characters_of(one.fname)), None)
