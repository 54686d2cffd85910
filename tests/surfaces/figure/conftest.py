"""Figures as files, taken apart again: the texts of an SVG with their places and colours."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import clearhead as ch

pytest.importorskip("matplotlib")

SVG = "{http://www.w3.org/2000/svg}"


class Drawn:
    """An SVG.

    Attributes:
        root: its tree.
        raw: its text.
    """

    def __init__(self, path: Path) -> None:
        self.raw = path.read_text("utf-8")
        self.root = ElementTree.fromstring(self.raw)

    @property
    def texts(self) -> list[str]:
        """Every text as a reader sees it; formulas as their characters, one after the other."""
        return [
            (node.text or "").strip() + "".join(part.text or "" for part in node)
            for node in self.root.iter(f"{SVG}text")
        ]

    def fill_of(self, text: str) -> set[str]:
        """The colours in which a text is written."""
        styles = [node.get("style", "") for node in self.root.iter(f"{SVG}text") if node.text == text]
        return {(re.search(r"fill: (#\w+)", style) or ["", "#000000"])[1] for style in styles}

    @property
    def fills(self) -> list[str]:
        """The colours of all shapes, in the order in which they are drawn."""
        styles = (node.get("style", "") for node in self.root.iter(f"{SVG}path"))
        return [found[1] for style in styles if (found := re.search(r"fill: (#\w+)", style))]


@pytest.fixture
def as_svg(tmp_path: Path) -> Callable[[Any], Drawn]:
    """Save a figure as an SVG, and read it again."""

    def read(figure: Any) -> Drawn:
        path = tmp_path / "figure.svg"
        ch.save_figure(figure, path)
        return Drawn(path)

    return read


@pytest.fixture(scope="session")
def causal() -> ch.Trace:
    """Three words under the causal mask."""
    return ch.run("three-words", mask="causal")


@pytest.fixture(scope="session")
def strange() -> Callable[..., ch.Trace]:
    """A trace of a sentence of any words, with small whole numbers."""

    def run(*tokens: str) -> ch.Trace:
        table = {token: [1 + at % 3, at % 2] for at, token in enumerate(dict.fromkeys(tokens))}
        eye = [[1, 0], [0, 1]]
        return ch.run(ch.Example(tokens=list(tokens), E=table, W_Q=eye, W_K=eye, W_V=eye, positions="none"))

    return run
