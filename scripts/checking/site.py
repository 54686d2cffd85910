"""The built site opens from a disk, so nothing in it may be loaded from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

from environment import ROOT

SITE = ROOT / "build" / "docs"
LOADED = re.compile(
    r"""<(?:script|img|iframe|source|link)\b[^>]*\s(?:src|href)=["']?((?:https?:)?//[^"'>\s]+)"""
)
STYLED = re.compile(r"""(?:@import\s+|url\(\s*)["']?((?:https?:)?//[^"')\s]+)""")


def stays_here() -> tuple[bool, str]:
    """Look for what the pages and styles would load from another place: (whether there is none, a remark)."""
    found = [
        f"{file.relative_to(SITE)} loads {address}"
        for pattern, form in (("*.html", LOADED), ("*.css", STYLED))
        for file in sorted(SITE.rglob(pattern))
        for address in from_elsewhere(file, form)
    ]
    return not found, "; ".join(found[:5]) or f"{SITE.relative_to(ROOT)}/index.html"


def from_elsewhere(file: Path, form: re.Pattern[str]) -> list[str]:
    """The addresses that a file loads from another place."""
    return form.findall(file.read_text("utf-8"))
