"""What is packed comes out again: answers, numbers and words, whatever they are."""

import json
import struct
import zlib

import numpy as np
import pytest

from clearhead.session.kept import Answer, Steps
from clearhead.surfaces.page.packing import packed


def opened(parts):
    """The header, and every array, as the page reads them: written here once more from what the module says."""
    raws = [zlib.decompress(part) for part in parts]
    (length,) = struct.unpack_from("<I", raws[0])
    header, offsets, arrays = json.loads(raws[0][4 : 4 + length]), [4 + length, *(0 for _ in raws[1:])], []
    for one in header["buffers"]:
        part = one.get("part", 0)
        dtype, count = np.dtype(one["dtype"]), int(np.prod(one["shape"], dtype=int))
        size = count * dtype.itemsize
        planes = np.frombuffer(raws[part], np.uint8, size, offsets[part]).reshape(dtype.itemsize, count)
        array = np.frombuffer(planes.T.tobytes(), dtype).reshape(one["shape"])
        arrays.append(array / one["per"] if "per" in one else array)
        offsets[part] += size + -size % 8
    assert offsets == [len(raw) for raw in raws]
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
        "first": Answer({"kind": "x", "part": text, "list": [text, "…"]}, [a, b]),
        "second": Answer({"kind": "y", "part": text}, [a.copy(), np.float32([1, 2, 3])]),
        "none": Answer({"kind": "z"}, []),
    }
    header, listed, arrays = opened(list(packed({"title": "a title"}, answers)))
    assert (header["clearhead"], header["title"]) == (2, "a title")
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
    _, [answer], _ = opened(list(packed({}, {"key": Answer(data)})))
    assert answer["data"] == data


def test_an_array_that_the_page_cannot_read_is_refused():
    with pytest.raises(TypeError, match="an array of complex128 cannot be kept; expected one of float64"):
        list(packed({}, {"key": Answer({}, [np.zeros(3, complex)])}))


def test_what_is_kept_apart_is_read_apart():
    """In steps or not; what two parts need is in the first one, once."""
    steps = Steps(np.array([[-3, 0], [7, 6000]], np.int16), 2.5)
    both = np.arange(5, dtype=np.uint8)
    answers = {
        "first": Answer({"kind": "x"}, [both, steps], "one"),
        "second": Answer({"kind": "y"}, [np.arange(3.0), both], "other"),
        "third": Answer({"kind": "z"}, [np.uint16([1, 65535]), Steps(steps.whole.copy(), 2.5)], "one"),
    }
    parts = list(packed({}, answers))
    header, listed, arrays = opened(parts)
    assert len(parts) == 3
    places = [one["buffers"] for one in listed]
    assert [[header["buffers"][at].get("part", 0) for at in one] for one in places] == [
        [0, 1],
        [2, 0],
        [1, 1],
    ]
    assert places[0][1] == places[2][1]
    assert arrays[places[0][1]].tolist() == [[-1.2, 0], [2.8, 2400]] == steps.values.tolist()
    assert arrays[places[2][0]].tolist() == [1, 65535]
    assert arrays[places[1][0]].tolist() == [0, 1, 2]
