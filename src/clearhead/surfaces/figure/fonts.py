"""The fonts of an SVG, inside it: for each the shapes of those characters that the figure uses."""

from __future__ import annotations

import base64
import io
import logging
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from xml.etree import ElementTree

from fontTools import subset
from fontTools.ttLib import TTFont
from matplotlib.font_manager import FontProperties, findfont

SVG = "{http://www.w3.org/2000/svg}"
FAMILY = re.compile(r"font-family:\s*([^;]+)")
STYLE = re.compile(r"font-style:\s*(\w+)")
WEIGHT = re.compile(r"font-weight:\s*(\w+)")
CLOSING = b"</style>"

RESTRICTED = 0x0002
"""The bit of a font's `fsType` that forbids to embed it (OpenType, table OS/2)."""


@contextmanager
def quiet() -> Iterator[None]:
    """Without fontTools' remarks on tables of Matplotlib's fonts that it leaves out: there is nothing to be done."""
    log = logging.getLogger("fontTools")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)


@dataclass(frozen=True, order=True)
class Face:
    """One font as style sheets name it."""

    family: str
    style: str
    weight: int


def with_fonts(svg: bytes) -> bytes:
    """The SVG with its fonts in its first style sheet."""
    faces = [_face(face, characters) for face, characters in sorted(_used(svg).items())]
    sheet = "".join(faces).encode("ascii")
    return svg.replace(CLOSING, sheet + CLOSING, 1)


def _used(svg: bytes) -> dict[Face, set[str]]:
    """Each face with the characters that are set in it, or may be: a text names several where one lacks some."""
    used: dict[Face, set[str]] = defaultdict(set)
    for node in ElementTree.fromstring(svg).iter():
        style, families = node.get("style", ""), FAMILY.search(node.get("style", ""))
        if node.tag not in (f"{SVG}text", f"{SVG}tspan") or not families or not node.text:
            continue
        slant, weight = STYLE.search(style), WEIGHT.search(style)
        for family in families[1].split(","):
            face = Face(
                family.strip(" '\""), slant[1] if slant else "normal", int(weight[1]) if weight else 400
            )
            used[face] |= set(node.text)
    return used


def _face(face: Face, characters: set[str]) -> str:
    """The rule that brings a font; nothing where its maker forbids that, or it has none of the characters."""
    wanted = FontProperties(family=[face.family], style=face.style, weight=face.weight)  # type: ignore[arg-type]
    with TTFont(findfont(wanted), fontNumber=0, recalcTimestamp=False) as font:
        points = {ord(character) for character in characters} & set(font.getBestCmap() or ())
        if not points or ("OS/2" in font and font["OS/2"].fsType & RESTRICTED):
            return ""
        cut = subset.Subsetter(subset.Options(notdef_outline=True, name_IDs=[0, 1, 2, 13, 14]))
        cut.populate(unicodes=points)
        cut.subset(font)
        font.flavor = "woff"
        content = io.BytesIO()
        font.save(content)
    data = base64.b64encode(content.getvalue()).decode("ascii")
    return (
        f"\n@font-face{{font-family:'{face.family}';font-style:{face.style};font-weight:{face.weight};"
        f"src:url(data:font/woff;base64,{data}) format('woff')}}"
    )
