"""Typesetting by Typst: data in, the bytes of a PDF out, the same for the same data.

The compiler is inside the package `typst`, with fonts and mathematics: no network, no display, no other program.
"""

from __future__ import annotations

import json
import unicodedata
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import typst

FONTS = ["Libertinus Serif", "New Computer Modern Math", "DejaVu Sans Mono"]
"""In the order in which they are asked for a character; all are inside Typst."""

Standard = Literal["1.7", "a-2u"]
STRICT: Standard = "a-2u"
"""PDF/A-2u: the compiler refuses a character that no font has. (Not for the sheets: it also asks for a date.)"""


def lacking_in(words: tuple[str, ...]) -> frozenset[str]:
    """The characters of the words that no font has, neither Typst's own nor this machine's.

    Raises:
        ModuleNotFoundError: Typst is not installed; the message says what to do.
    """
    unusual = {one for word in words for one in word if not one.isascii()}
    return frozenset(one for one in sorted(unusual) if not _can_be_drawn(one))


@cache
def _can_be_drawn(character: str) -> bool:
    """Whether it can be drawn by itself; a mark that joins others is asked for with a letter before it."""
    base = "a" if unicodedata.category(character) in ("Mn", "Me", "Cf") else ""
    source = "#set page(width: auto, height: auto)\n#set text(font: json(bytes(sys.inputs.data)).fonts)\n"
    source += "#json(bytes(sys.inputs.data)).text"
    try:
        _compiled(source, {"fonts": FONTS, "text": base + character}, STRICT)
    except RuntimeError:
        return False
    return True


def typeset(data: dict[str, Any]) -> bytes:
    """The PDF of a set of sheets; see sheet.typ for what is read of the data.

    Raises:
        ModuleNotFoundError: Typst is not installed; the message says what to do.
    """
    return _compiled(_template(), {"fonts": FONTS, **data})


def drawn(data: dict[str, Any], ppi: float) -> list[bytes]:
    """Each page of the same as a PNG of so many points an inch."""
    made = _compiler(_template(), {"fonts": FONTS, **data}).compile(format="png", ppi=ppi)
    return made if isinstance(made, list) else [made or b""]


@cache
def _template() -> str:
    return (files("clearhead.surfaces.worksheet") / "sheet.typ").read_text("utf-8")


def _compiled(source: str, data: dict[str, Any], standard: Standard = "1.7") -> bytes:
    made = _compiler(source, data).compile(format="pdf", pdf_standards=standard)
    assert isinstance(made, bytes)
    return made


def _compiler(source: str, data: dict[str, Any]) -> typst.Compiler:
    try:
        import typst
    except ImportError:
        from clearhead.trace.installing import install

        missing = f"worksheets need Typst, and it is not installed; expected `{install('worksheets')}` before"
        raise ModuleNotFoundError(missing, name="typst") from None
    inputs = {"data": json.dumps(data, ensure_ascii=True, allow_nan=False)}
    return typst.Compiler(source.encode(), sys_inputs=inputs)
