"""Many answers in few bytes: what comes twice is written once, and all of it is compressed.

The content is a frame (see `clearhead.trace.frames`), compressed as zlib does (RFC 1950), which every browser can
undo. Its header has the answers as JSON; a part of one that comes again is `{"$": n}`, the n-th of `shared`, and an
object that has a field "$" of its own is `{"$": null, "pairs": [[field, value], ...]}`. Numbers lie after the header,
each array once; of numbers of more than one byte all first bytes come first, then all second ones, and so on: those
of numbers that are alike are alike, and compress well.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from clearhead.session.view import View
from clearhead.trace.frames import frame

VERSION = 1

WORTH = 40
"""Characters from which a part of an answer that comes again is shared."""

DTYPES = ("float64", "float32", "int32", "uint8")


def packed(header: Mapping[str, Any], answers: Mapping[str, View]) -> bytes:
    """The content of a page.

    Args:
        header: what the page is to know beside the answers, JSON-able.
        answers: the answers by their messages.
    """
    numbers = _Numbers()
    listed = [
        {"key": key, "data": view.data, "buffers": [numbers.put(one) for one in view.buffers]}
        for key, view in answers.items()
    ]
    replies, shared = _shared(listed)
    described = {"shared": shared, "answers": replies, "buffers": numbers.described}
    content = frame({"clearhead": VERSION, **header, **described}, numbers.kept)
    return zlib.compress(content, 9)


class _Numbers:
    """Arrays, each kept once."""

    def __init__(self) -> None:
        self.kept: list[np.ndarray] = []
        self.described: list[dict[str, Any]] = []
        self._places: dict[tuple[str, tuple[int, ...], bytes], int] = {}

    def put(self, array: np.ndarray) -> int:
        """Where an array lies among those that are kept."""
        dtype = str(array.dtype)
        if dtype not in DTYPES:
            raise TypeError(f"an array of {dtype} cannot be kept; expected one of {', '.join(DTYPES)}")
        raw = np.ascontiguousarray(array).tobytes()
        place = self._places.setdefault((dtype, array.shape, raw), len(self.kept))
        if place == len(self.kept):
            self.described.append({"dtype": dtype, "shape": list(array.shape)})
            size = array.dtype.itemsize
            self.kept.append(np.frombuffer(raw, np.uint8).reshape(-1, size).T.ravel())
        return place


def _shared(given: Any) -> tuple[Any, list[Any]]:
    """The data with what comes again replaced, and the list of what was."""
    counts: Counter[str] = Counter()
    _count(given, counts)
    places: dict[str, int] = {}
    shared: list[Any] = []

    def replaced(node: Any) -> Any:
        if not isinstance(node, dict | list | tuple) or not node:
            return node
        text = _text(node)
        if counts[text] > 1 and len(text) >= WORTH:
            if text not in places:
                made = inside(node)  # what is inside comes first
                places[text] = len(shared)
                shared.append(made)
            return {"$": places[text]}
        return inside(node)

    def inside(node: Any) -> Any:
        if not isinstance(node, dict):
            return [replaced(part) for part in node]
        if "$" in node:
            return {"$": None, "pairs": [[field, replaced(value)] for field, value in node.items()]}
        return {field: replaced(value) for field, value in node.items()}

    return replaced(given), shared


def _count(node: Any, counts: Counter[str]) -> None:
    """How often each part comes; inside of one that came before is not looked again."""
    if not isinstance(node, dict | list | tuple) or not node:
        return
    text = _text(node)
    counts[text] += 1
    if counts[text] == 1:
        for part in node.values() if isinstance(node, dict) else node:
            _count(part, counts)


def _text(node: Any) -> str:
    return json.dumps(node, ensure_ascii=False, separators=(",", ":"))
