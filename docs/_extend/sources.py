"""What the site does to the pages before they are read, so that they are also right where they lie, on a code host.

* A page may repeat a section of another, by a comment such as `<!-- section: long.md: What does not work yet -->`.
* A link to a Markdown file outside docs/ becomes a download: the site has no page for it.
* The empty line that ends an example for doctest is not shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from os.path import relpath
from pathlib import Path
from typing import Any

from docutils import nodes

SECTION = re.compile(r"<!-- section: (\S+): (.+?) -->")
LINK = re.compile(r"\[([^\]]+)\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("source-read", read)
    app.connect("doctree-read", without_empty_ends)
    return {"parallel_read_safe": True}


def read(app: Any, name: str, source: list[str]) -> None:
    """Change the text of a page, in place."""
    page = Path(app.srcdir, f"{name}.md")
    source[0] = outside(with_sections(source[0], page), page, Path(app.srcdir))


def without_empty_ends(_app: Any, tree: nodes.document) -> None:
    """Take the empty lines from the ends of blocks of code, in place."""
    for block in tree.findall(nodes.literal_block):
        text = block.astext().rstrip("\n")
        block.rawsource = text
        block.children = [nodes.Text(text)]


def with_sections(text: str, page: Path) -> str:
    """The text with the sections it asks for in their places; their links lead from this page on."""

    def fill(asked: re.Match[str]) -> str:
        other = (page.parent / asked[1]).resolve()
        return relinked(section(other.read_text("utf-8"), asked[2]), other, page)

    return SECTION.sub(fill, text)


def section(text: str, heading: str) -> str:
    """What stands beneath a heading of the second level.

    Raises:
        ValueError: there is no such heading.
    """
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise ValueError(f"there is no heading {heading!r}")
    return found[1].strip()


def relinked(text: str, old: Path, new: Path) -> str:
    """Text of one page with its links as another page has to write them."""

    def there(target: str) -> str:
        return Path(relpath(old.parent / target, new.parent)).as_posix()

    return _links(text, lambda words, target, place: f"[{words}]({there(target)}{place})")


def outside(text: str, page: Path, folder: Path) -> str:
    """The text with links to Markdown files outside of the folder made downloads."""

    def link(words: str, target: str, place: str) -> str:
        file = (page.parent / target).resolve()
        if file.suffix != ".md" or file.is_relative_to(folder.resolve()):
            return f"[{words}]({target}{place})"
        return f"{{download}}`{words.replace('`', '')} <{target}>`"

    return _links(text, link)


def _links(text: str, write: Callable[[str, str, str], str]) -> str:
    return LINK.sub(lambda found: write(found[1], found[2], found[3] or ""), text)
