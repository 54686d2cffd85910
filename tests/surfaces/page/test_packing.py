"""What is packed comes out again: answers, numbers and words, whatever they are."""

import json
import struct
import zlib

import numpy as np
import pytest

from clearhead.session.view import View
from clearhead.surfaces.page.packing import packed


def opened(content: bytes):
    """The header, and every array, as the page reads them: written here once more from what the module says."""
    raw = zlib.decompress(content)
    (length,) = struct.unpack_from("<I", raw)
    header, offset, arrays = json.loads(raw[4 : 4 + length]), 4 + length, []
    for one in header["buffers"]:
        dtype, count = np.dtype(one["dtype"]), int(np.prod(one["shape"], dtype=int))
        size = count * dtype.itemsize
        planes = np.frombuffer(raw, np.uint8, size, offset).reshape(dtype.itemsize, count)
        arrays.append(np.frombuffer(planes.T.tobytes(), dtype).reshape(one["shape"]))
        offset += size + -size % 8
    assert offset == len(raw)
    shared: list = []
    for one in header["shared"]:
        shared.append(restored(one, shared))
    return header, restored(header["answers"], shared), arrays


def restored(node, shared):
    if isinstance(node, list):
        return [restored(part, shared) for part in node]
    if not isinstance(node, dict):
        return node
    if "$" in node and node["$"] is not None:
        return shared[node["$"]]
    pairs = node["pairs"] if "$" in node else node.items()
    return {field: restored(value, shared) for field, value in pairs}


def test_answers_and_numbers_come_out_again():
    text = {
        "says": "the same sentence in two answers, long enough to be worth sharing",
        "of": [1, 2.5, None, True],
    }
    a, b = np.array([0.1, -np.inf, np.nan, 1e300]), np.arange(7, dtype=np.int32).reshape(7, 1)
    answers = {
        "first": View({"kind": "x", "part": text, "list": [text, "…"]}, [a, b]),
        "second": View({"kind": "y", "part": text}, [a.copy(), np.float32([1, 2, 3])]),
        "none": View({"kind": "z"}, []),
    }
    header, listed, arrays = opened(packed({"title": "a title"}, answers))
    assert (header["clearhead"], header["title"]) == (1, "a title")
    assert [one["key"] for one in listed] == list(answers)
    for one, view in zip(listed, answers.values(), strict=True):
        assert one["data"] == view.data
        for place, given in zip(one["buffers"], view.buffers, strict=True):
            assert arrays[place].dtype == given.dtype
            assert np.array_equal(arrays[place], given, equal_nan=given.dtype.kind == "f")
    assert len(arrays) == 3  # the same array once
    assert json.dumps(header, ensure_ascii=False).count("worth sharing") == 1


@pytest.mark.parametrize("word", ["$", "</script>", "\u2028", "", "\x00", "a" * 10_000])
def test_any_word_can_be_a_field(word):
    data = {"rows": {word: [1, 2, 3], "other": "x" * 50}, "again": {word: [1, 2, 3], "other": "x" * 50}}
    _, [answer], _ = opened(packed({}, {"key": View(data)}))
    assert answer["data"] == data


def test_an_array_that_the_page_cannot_read_is_refused():
    with pytest.raises(TypeError, match="an array of complex128 cannot be kept; expected one of float64"):
        packed({}, {"key": View({}, [np.zeros(3, complex)])})
