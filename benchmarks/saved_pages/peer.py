"""What has to be known of another tool's page. Read by that tool's Python too, so NumPy is all that it stands on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

LAYER, HEAD = 5, 7
"""The head that is chosen in every page."""


@dataclass(frozen=True)
class Step:
    """One choice of a person: the pointer on what the selector names, a click on it, or an option of it.

    `under` is for what lies under that which takes the click, at the same place.
    """

    selector: str
    how: Literal["hover", "click", "select"] = "click"
    option: str = ""
    under: bool = False


@dataclass(frozen=True)
class Picture:
    """Conditions, as functions in JavaScript, and the steps between them; the last step is the one measured.

    `prepare` is a script that the page runs before its own; the conditions may use what it notes, and `asked`, the
    page's clock when the last step was taken.
    """

    drawn: str
    steps: tuple[Step, ...]
    answered: str
    prepare: str = ""


@dataclass(frozen=True)
class Peer:
    """A way that another tool shows the weights of all heads.

    `write` takes weights (layers, heads, queries, keys), the words and the file to write. `scripts` are those that
    the page asks a network for, by file name: the package of npm with its version, and the file in it. `says` is
    what its page doesn't show, or what is measured in another way than on the others.
    """

    name: str
    package: str
    write: Callable[[np.ndarray, list[str], Path], object]
    picture: Picture
    says: str
    scripts: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def whole_page(body: str, place: Path) -> None:
    """A file of what a notebook would show in a cell."""
    place.write_text(f"<!doctype html><meta charset='utf-8'><body>{body}</body>", encoding="utf-8")
