"""A file that is not as it was written: no number of it is handed out that is not the one that was saved."""

import json
import os
from dataclasses import replace

import numpy as np
import pytest

from clearhead.lenses.statistics import head_statistics
from clearhead.trace.capture import mapped, tensors
from clearhead.trace.capture.failing import CaptureError
from clearhead.trace.capture.held import Widened
from clearhead.trace.capture.saved import KEY, load_capture, save_capture
from clearhead.trace.capture.visible import Runs

FLIPS = 300
"""Bits that are flipped, each alone, evenly spread over the file but for a random shift."""


def whole(held):
    return (held.bits if isinstance(held, Widened) else held)[...].tobytes()


def everything(capture):
    """All that a capture holds: what it says, and every array in the order of the layers."""
    said = [capture.texts, capture.provenance, capture.prompt, capture.next_words, repr(capture.layers[-1])]
    held = []
    for layer in capture.attentions():
        one, below = layer.attention, layer.below
        said.append((layer.label, layer.path, one.scale, one.kernel, one.soft_cap, one.notes, below.why))
        held += [one.query, one.key, one.value, one.output, *below.arrays()[0].values()]
        held += [*([one.bias.values] if one.bias else []), *([] if one.sink is None else [one.sink])]
        for pattern in (heads[0] for heads in one.visible.patterns):
            held += [pattern.row, pattern.start, pattern.end] if isinstance(pattern, Runs) else []
            said.append(str(pattern) if not isinstance(pattern, Runs) else pattern.keys)
    return said, [whole(one) for one in held]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cap.safetensors"


@pytest.fixture
def saved(hand_captures, path):
    """A capture with numbers around its first layer's heads, and its file."""
    capture = hand_captures.random_capture("bfloat16")
    first = replace(capture.layers[0], beneath=hand_captures.random_below)
    save_capture(replace(capture, layers=(first, *capture.layers[1:])), path)
    return path


def flip(path, content, place, bit):
    damaged = bytearray(content)
    damaged[place] ^= 1 << bit
    path.write_bytes(damaged)


def test_no_bit_that_is_flipped_changes_a_number_unseen(saved):
    content, numbers = saved.read_bytes(), np.random.default_rng(5)
    was = everything(load_capture(saved))
    step = len(content) / FLIPS
    at_opening = at_reading = 0
    for place in (np.arange(FLIPS) * step + numbers.uniform(0, step, FLIPS)).astype(int):
        flip(saved, content, place, int(numbers.integers(8)))
        try:
            capture = load_capture(saved)
        except CaptureError as error:
            assert str(error).startswith(f"{saved}: ")  # noqa: PT017
            at_opening += 1
            continue
        try:
            assert everything(capture) == was  # the bit means nothing
        except CaptureError as error:
            assert str(error).startswith(f"{saved}: the array ")  # noqa: PT017
            at_reading += 1
    assert at_opening > FLIPS / 10
    assert at_reading > FLIPS / 10
    assert at_opening + at_reading > FLIPS * 0.9


def test_every_array_is_compared_when_it_is_read_and_only_then(saved):
    content = saved.read_bytes()
    table, _, start = tensors.read_header(saved)
    names = [name for name in table if name != tensors.CHECKSUMS]
    assert {"mask0.row", "L0.query", "L0.below.columns_Q", "L3.bias", "L3.sink"} <= set(names)
    for name in names:
        begin, end = table[name]["data_offsets"]
        flip(saved, content, start + (begin + end) // 2, 6)
        arrays = mapped.Mapped(saved, table, start, "cap")
        for other in names:
            if other != name:
                assert arrays[other].shape == arrays[other][...].shape
        for _ in range(2):  # it does not become right by being asked for again
            with pytest.raises(
                CaptureError, match=rf"^cap: the array {name} is damaged \(its checksum does not"
            ):
                arrays[name][0]


def test_a_damaged_checksum_is_that_of_one_array(saved):
    content = saved.read_bytes()
    flip(saved, content, len(content) - 1, 0)
    *_, last, _ = tensors.read_header(saved)[0]
    arrays = mapped.Mapped(saved, *tensors.read_header(saved)[::2], "cap")
    for name in set(arrays) - {last}:
        assert arrays[name][...].shape == arrays[name].shape
    with pytest.raises(CaptureError, match=f"the array {last} is damaged"):
        arrays[last][...]


def test_an_array_is_compared_once_and_in_pieces(saved, monkeypatch):
    compared = []
    checked = mapped.zlib.crc32
    monkeypatch.setattr(mapped, "PIECE", 100)
    monkeypatch.setattr(
        mapped.zlib, "crc32", lambda piece, so_far: compared.append(len(piece)) or checked(piece, so_far)
    )
    table, _, start = tensors.read_header(saved)
    arrays = mapped.Mapped(saved, table, start, "cap")
    assert not compared
    for _ in range(3):
        arrays["L0.key"][1, 0]
    assert compared == [100, 100, 100, 8]  # 2 * 1 * 7 * 11 numbers of 2 bytes


def test_columns_that_are_damaged_are_one_sentence(saved):
    content = saved.read_bytes()
    table, _, start = tensors.read_header(saved)
    flip(
        saved, content, start + table["L0.below.columns_Q"]["data_offsets"][1] - 2, 6
    )  # a column far outside
    capture = load_capture(saved)
    assert capture.weights(0).shape == (5, 7, 7)  # nothing of it is needed here
    with pytest.raises(CaptureError, match=r"cap\.safetensors: the array L0\.below\.columns_Q is damaged"):
        capture.head(0, 1)


def test_a_mask_that_is_damaged_is_one_sentence(saved):
    content = saved.read_bytes()
    table, _, start = tensors.read_header(saved)
    flip(saved, content, start + table["mask0.start"]["data_offsets"][0] + 2, 6)
    capture = load_capture(saved)
    for look in (lambda: capture.weights(0), lambda: capture.agreement, lambda: head_statistics(capture)):
        with pytest.raises(CaptureError, match=r"cap\.safetensors: the array mask0\.start is damaged"):
            look()


@pytest.mark.parametrize("more", [1, 8, 5000])
def test_a_file_that_is_too_long_is_refused_at_opening(saved, more):
    with saved.open("ab") as file:
        file.write(b"\0" * more)
    with pytest.raises(CaptureError, match=r"its arrays should have \d+ bytes, and there are \d+\)"):
        load_capture(saved)


@pytest.mark.parametrize("read_before", [False, True])
def test_a_file_that_is_cut_short_while_it_is_used_is_one_sentence(hand_captures, path, read_before):
    save_capture(hand_captures.random_capture(queries=127, keys=127), path)  # longer than a page of memory
    capture = load_capture(path)
    if read_before:
        kept = capture.weights(0), capture.layer(0).attention.query[0, 1]
        was = [one.copy() for one in kept]
    os.truncate(path, 100)
    for look in (
        lambda: capture.head(0, 1), lambda: capture.row(0, 1, 126), lambda: capture.layer(3).attention.sink[0]
    ):  # fmt: skip
        with pytest.raises(
            CaptureError, match=r"cap\.safetensors: the file has 100 bytes now, and had \d+ when"
        ):
            look()
    if read_before:  # what was handed out is not in the file any more
        assert all(np.array_equal(one, two) for one, two in zip(kept, was, strict=True))


def test_another_file_may_take_its_name(hand_captures, path, tmp_path):
    save_capture(hand_captures.random_capture(), path)
    capture = load_capture(path)
    was = everything(load_capture(path))
    (tmp_path / "other").write_bytes(b"something else")
    os.replace(tmp_path / "other", path)
    assert everything(capture) == was


def rewritten(path, change):
    """The same file with another description."""
    table, metadata, start = tensors.read_header(path)
    arrays = path.read_bytes()[start:]
    header = json.dumps({tensors.METADATA: {KEY: change(metadata[KEY])}, **table}).encode()
    path.write_bytes(tensors.LENGTH.pack(len(header)) + header + arrays)


@pytest.mark.parametrize(
    "change",
    [
        lambda _: "999",
        lambda _: "null",
        lambda _: '"version"',
        lambda _: "[1]",
        lambda _: "{}",
        lambda _: "{",
        lambda _: "[" * 100_000,
        lambda _: 7,
        *(
            lambda text, version=version: json.dumps({**json.loads(text), "version": version})
            for version in ("1", 0, -1, 1.5, True, None, [1])
        ),
    ],
)
def test_a_description_of_something_else_is_one_sentence(saved, change):
    rewritten(saved, change)
    with pytest.raises(CaptureError) as caught:
        load_capture(saved)
    assert str(caught.value) == (
        f"{saved}: the capture is damaged or cut short (its description is not that of a capture)"
    )


@pytest.mark.parametrize("lacking", ["checksum", "capture"])
def test_a_description_that_lacks_a_part_is_one_sentence(saved, lacking):
    rewritten(
        saved,
        lambda text: json.dumps({name: one for name, one in json.loads(text).items() if name != lacking}),
    )
    with pytest.raises(CaptureError, match=r"\(the checksum of its header does not fit\)"):
        load_capture(saved)


def test_arrays_without_checksums_are_refused(saved):
    table, _, start = tensors.read_header(saved)
    del table[tensors.CHECKSUMS]
    end = max(entry["data_offsets"][1] for entry in table.values())
    with pytest.raises(ValueError, match="its arrays have no checksums"):
        tensors.check(table, end)
    assert start + end < saved.stat().st_size
