"""Many answers in few bytes: what comes twice is written once, and all of it is compressed.

The content is in parts, each compressed as zlib does (RFC 1950), which every browser can undo. The first is a frame
(see `clearhead.trace.frames`). Its header has the answers as JSON; a part of one that comes again is `{"$": n}`, the
n-th of `shared`, and an object that has a field "$" of its own is `{"$": null, "pairs": [[field, value], ...]}`.
`buffers` says of every array its format and shape, `part` in which of the parts it lies, if not in the first, and
`per`, if its whole numbers are steps, how many of them make 1. After the header come the arrays of the first part. The
other parts are arrays alone, which are read together when one of them is asked for.

An array is written once, and padded to a multiple of 8 bytes; of numbers of more than one byte all first bytes come
first, then all second ones, and so on: those of numbers that are alike are alike, and compress well.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from clearhead.session.kept import Answer, Steps
from clearhead.trace.frames import ALIGNMENT, frame

VERSION = 2

WORTH = 40
"""Characters from which a part of an answer that comes again is shared."""

DTYPES = ("float64", "float32", "int32", "uint16", "int16", "uint8")

HOW = ((zlib.Z_DEFAULT_STRATEGY, 9), (zlib.Z_FILTERED, 6), (zlib.Z_HUFFMAN_ONLY, 6))
"""Strategies and memory levels of zlib, of which the best is taken. Among numbers without order, what comes again is a
mere accident; and the less memory, the more often a code is made anew, as weights need it that become smaller row by
row."""


def packed(header: Mapping[str, Any], answers: Mapping[str, Answer]) -> Iterator[bytes]:
    """The content of a page, part by part.

    Args:
        header: what the page is to know beside the answers, JSON-able.
        answers: the answers by their messages.

    Raises:
        TypeError: an array is of a format that the page does not read.
    """
    numbers = _Numbers(answers.values())
    listed = [
        {
            "key": key,
            "data": answer.data,
            "buffers": [numbers.put(one, answer.apart) for one in answer.buffers],
        }
        for key, answer in answers.items()
    ]
    replies, shared = _shared(listed)
    described = {"shared": shared, "answers": replies, "buffers": numbers.described}
    yield zlib.compress(frame({"clearhead": VERSION, **header, **described}, numbers.parts[""]), 9)
    for name, arrays in numbers.parts.items():
        if name != "":
            yield min((_compressed(arrays, how) for how in HOW), key=len)


def _compressed(arrays: Iterable[np.ndarray], how: tuple[int, int]) -> bytes:
    strategy, memory = how
    making, pieces = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS, memory, strategy), []
    for planes in arrays:
        for plane in planes:  # a code of its own for each: what is frequent in one is rare in another
            pieces += [making.compress(plane.tobytes()), making.flush(zlib.Z_BLOCK)]
        pieces.append(making.compress(bytes(-planes.nbytes % ALIGNMENT)))
    return b"".join([*pieces, making.flush()])


class _Numbers:
    """Arrays, each kept once: in the part that its answer is read with or, if several need it, in the first."""

    def __init__(self, answers: Any) -> None:
        self.parts: dict[str, list[np.ndarray]] = {"": []}
        self.described: list[dict[str, Any]] = []
        self._places: dict[bytes, int] = {}
        needed: dict[bytes, set[str]] = {}
        for answer in answers:
            for one in answer.buffers:
                needed.setdefault(_print(one), set()).add(answer.apart)
        self._common = {which for which, names in needed.items() if len(names) > 1}

    def put(self, given: np.ndarray | Steps, apart: str) -> int:
        """Where an array lies among those that are kept."""
        which = _print(given)
        place = self._places.setdefault(which, len(self.described))
        if place == len(self.described):
            array = given.whole if isinstance(given, Steps) else given
            name = "" if which in self._common else apart
            about: dict[str, Any] = {"dtype": str(array.dtype), "shape": list(array.shape)}
            if isinstance(given, Steps):
                about["per"] = given.per
            self.parts.setdefault(name, []).append(_planes(array))
            if name != "":
                about["part"] = list(self.parts).index(name)
            self.described.append(about)
        return place


def _print(given: np.ndarray | Steps) -> bytes:
    """The same bytes for arrays that are the same."""
    array = given.whole if isinstance(given, Steps) else given
    dtype = str(array.dtype)
    if dtype not in DTYPES:
        raise TypeError(f"an array of {dtype} cannot be kept; expected one of {', '.join(DTYPES)}")
    about = f"{dtype} {array.shape} {given.per if isinstance(given, Steps) else ''}"
    return hashlib.blake2b(about.encode() + np.ascontiguousarray(array).tobytes(), digest_size=20).digest()


def _planes(array: np.ndarray) -> np.ndarray:
    """(bytes of a number, numbers) uint8: the bytes of an array, all first ones first."""
    raw = np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint8)
    return np.ascontiguousarray(raw.reshape(-1, array.dtype.itemsize).T)


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
