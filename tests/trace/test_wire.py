"""Saved traces come back exactly, and a damaged file is one sentence, whatever is wrong with it."""

import json
import os
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clearhead as ch
from clearhead.trace.wire import describe, frame, parse_trace, trace_bytes

CHANGES = [
    {"mask": "causal"}, {"positions": "rotary", "scale": False}, {"positions": "alibi", "heads": 2},
    {"positions": "none"},
]  # fmt: skip


@pytest.mark.parametrize("changes", CHANGES, ids=str)
@pytest.mark.parametrize("name", ["the-dog-chased-the-cat", "three-words"])
def test_a_trace_comes_back_exactly(traced, tmp_path, name, changes):
    trace = traced(name, **changes)
    trace.save(tmp_path / "saved")
    back = ch.load_trace(tmp_path / "saved")
    assert (back.tokens, back.vocabulary, back.provenance) == (
        trace.tokens,
        trace.vocabulary,
        trace.provenance,
    )
    assert list(back) == list(trace)
    for old, new in zip(trace.values(), back.values(), strict=True):
        assert new.values.tobytes() == old.values.tobytes()
        assert (new.axes, new.shape, new.values.dtype) == (old.axes, old.shape, np.float64)
        assert new.operation == old.operation
        assert [given.name for given in new.inputs] == [given.name for given in old.inputs]
        assert all(given is back[given.name] for given in new.inputs)
        for index in list(np.ndindex(old.shape))[::5]:
            assert new.explain(*index).expression == old.explain(*index).expression
            assert str(new.explain(*index)) == str(old.explain(*index))
        if old.operation:
            for slot, given in enumerate(old.inputs):
                index = (0,) * len(given.shape)
                arrays = [[source.values for source in quantity.inputs] for quantity in (old, new)]
                assert new.operation.feeds(slot, index, *arrays[1]) == old.operation.feeds(
                    slot, index, *arrays[0]
                )
        with pytest.raises(ValueError, match="read-only"):
            new.values[(0,) * new.values.ndim] = 1
    if changes.get("mask") == "causal":
        assert np.isneginf(back["masked"].values).any()


def test_a_path_may_be_text(traced, tmp_path):
    traced("three-words").save(str(tmp_path / "saved"))
    assert ch.load_trace(str(tmp_path / "saved")).tokens == ("cats", "chase", "mice")


@pytest.fixture(scope="module")
def content():
    return trace_bytes(ch.run(ch.load("three-words"), mask="causal"))


def header_of(content):
    (length,) = struct.unpack_from("<I", content)
    return json.loads(content[4 : 4 + length]), content[4 + length :]


def with_header(header, rest):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    text += b" " * (-(4 + len(text)) % 8)
    return struct.pack("<I", len(text)) + text + rest


def message_of(content):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the message is checked below)
        parse_trace(content, "file.clearhead")
    check_sentence(caught.value)
    return str(caught.value)


def check_sentence(error):
    """A plain ValueError of one line that begins with the file's name."""
    assert type(error) is ValueError
    assert str(error).startswith("file.clearhead: ")
    assert "\n" not in str(error)


def test_the_layout_is_as_documented(content):
    """uint32 length, JSON padded with spaces, buffers at multiples of 8: read here with struct and json alone."""
    header, rest = header_of(content)
    assert (header["format"], header["version"]) == ("clearhead-trace", 1)
    assert (len(content) - len(rest)) % 8 == 0
    by_name = dict(zip([q["name"] for q in header["quantities"]], header["buffers"], strict=True))
    entry = by_name["E"]
    assert entry["offset"] % 8 == 0
    numbers = struct.unpack_from(f"<{entry['bytes'] // 8}d", rest, entry["offset"])
    # The first rows of E in the file: cats, chase, mice.
    assert numbers[:12] == (1, 0, 0, 1, 0, 0, 1, 2, 0, 1, 0, 1)


def test_frames_pad_every_buffer_to_eight_bytes():
    buffers = [np.arange(3, dtype=np.uint8), np.array([[1.5]])]
    described = describe(buffers)
    assert [(d["dtype"], d["shape"], d["offset"], d["bytes"]) for d in described] == [
        ("uint8", [3], 0, 3), ("float64", [1, 1], 8, 8),
    ]  # fmt: skip
    raw = frame({"a": "ä"}, buffers)
    (length,) = struct.unpack_from("<I", raw)
    assert (4 + length) % 8 == 0
    assert json.loads(raw[4 : 4 + length]) == {"a": "ä"}
    assert raw[4 + length :] == b"\0\1\2\0\0\0\0\0" + struct.pack("<d", 1.5)


def test_a_file_cut_short_anywhere_is_refused(content):
    lengths = [*range(64), *range(64, len(content), 97), len(content) - 8, len(content) - 1]
    for length in lengths:
        message_of(content[:length])


@pytest.mark.parametrize(
    "wrong", [b"", b"\0", b"PK\3\4" + b"x" * 99, b"\xff" * 99, b"not a trace at all, just text"]
)
def test_another_kind_of_file_is_refused(wrong):
    assert message_of(wrong).endswith("not a Clearhead trace; expected a file written by trace.save()")


@pytest.mark.parametrize(
    "header",
    [[], 5, None, "text", {}, {"format": "other"}, b"{", b"[" * 10**5, b"\xff\xfe{"],
    ids=lambda header: repr(header)[:20],
)
def test_another_header_is_refused(header):
    message_of(with_header(header, b""))


def test_a_newer_version_says_so(content):
    header, rest = header_of(content)
    message = message_of(with_header(header | {"version": 3}, rest))
    assert message == "file.clearhead: written by a newer Clearhead (format 3); this one reads up to 2"


NOT_OURS = [
    None,
    5,
    -1,
    1.5,
    "x",
    [],
    {},
    [[]],
    True,
    10**30,
    [10**30],
    [-1],
    [2**32, 2**32],
    {"name": 1},
    ["x"],
]


@pytest.mark.parametrize("field", ["version", "tokens", "vocabulary", "provenance", "quantities", "buffers"])
def test_a_missing_field_is_refused(content, field):
    header, rest = header_of(content)
    del header[field]
    message_of(with_header(header, rest))


def damaged(header, place, value):
    """The header with one thing replaced."""
    target = header
    for step in place[:-1]:
        target = target[step]
    target[place[-1]] = value
    return header


PLACES = [
    ("version",), ("tokens",), ("vocabulary",), ("provenance",), ("quantities",), ("buffers",), ("quantities", 0),
    ("quantities", 8, "name"), ("quantities", 8, "axes"), ("quantities", 8, "operation"), ("quantities", 8, "inputs"),
    ("quantities", 8, "operation", "name"), ("buffers", 3), ("buffers", 3, "dtype"), ("buffers", 3, "shape"),
    ("buffers", 3, "offset"),
]  # fmt: skip


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_a_damaged_header_is_refused_or_harmless_and_nothing_else(content, place):
    """Each value in each place either gives the one sentence or a trace whose every quantity still is an array."""
    refused = 0
    for value in NOT_OURS:
        header, rest = header_of(content)
        try:
            trace = parse_trace(with_header(damaged(header, place, value), rest), "file.clearhead")
        except ValueError as error:
            check_sentence(error)
            refused += 1
        else:
            assert all(quantity.values.ndim == len(quantity.axes) for quantity in trace.values()), (
                place,
                value,
            )
            assert all(isinstance(word, str) for word in (*trace.tokens, *trace.vocabulary)), (place, value)
    assert refused >= (4 if place[0] in ("tokens", "vocabulary", "provenance") else 10)


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("shape", [-1, 4]), ("shape", [7]), ("shape", [999999, 4]), ("shape", [3, 4, 1]), ("shape", [10**30, 4]),
        ("offset", -8), ("offset", 10**9), ("offset", 10**30), ("offset", 1.5), ("dtype", "object"), ("dtype", "int8"),
    ],
)  # fmt: skip
def test_a_buffer_out_of_bounds_is_refused(content, entry, value):
    """Buffer 0 is E; a negative offset would read the header as if it were numbers."""
    header, rest = header_of(content)
    header["buffers"][0][entry] = value
    message_of(with_header(header, rest))


@given(st.integers(0, 10**6), st.integers(0, 255))
def test_a_changed_byte_never_raises_anything_else(content, at, value):
    raw = bytearray(content)
    raw[at % 3000] = value
    try:
        parse_trace(bytes(raw), "file.clearhead")
    except ValueError as error:
        check_sentence(error)


def test_a_missing_file_is_the_usual_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        ch.load_trace(tmp_path / "missing")


def test_saving_where_there_is_no_folder_leaves_nothing(traced, tmp_path):
    with pytest.raises(FileNotFoundError):
        traced("three-words").save(tmp_path / "no" / "folder")
    assert list(tmp_path.iterdir()) == []


def test_saving_onto_a_folder_leaves_it_alone(traced, tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        traced("three-words").save(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_an_interrupted_save_keeps_the_old_file(traced, tmp_path, monkeypatch):
    path = tmp_path / "kept"
    traced("three-words").save(path)
    old = path.read_bytes()

    def half(file):
        os.ftruncate(file, os.fstat(file).st_size // 2)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", half)
    with pytest.raises(KeyboardInterrupt):
        traced("the-dog-chased-the-cat").save(path)
    monkeypatch.undo()
    assert path.read_bytes() == old
    assert [found.name for found in tmp_path.iterdir()] == ["kept"]


def test_a_save_that_cannot_be_put_in_place_keeps_the_old_file(traced, tmp_path, monkeypatch):
    path = tmp_path / "kept"
    path.write_bytes(b"old")

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PermissionError):
        traced("three-words").save(path)
    assert path.read_bytes() == b"old"
    assert [found.name for found in tmp_path.iterdir()] == ["kept"]


def test_provenance_that_is_no_json_leaves_nothing(traced, tmp_path):
    trace = traced("three-words")
    trace.provenance["when"] = object()
    with pytest.raises(TypeError):
        trace.save(tmp_path / "saved")
    assert list(tmp_path.iterdir()) == []


def test_saving_follows_a_link_and_keeps_what_the_file_may_do(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    real.chmod(0o600)
    link.symlink_to(real)
    ch.run("three-words").save(link)
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    assert ch.load_trace(real).tokens == ("cats", "chase", "mice")


def test_a_place_that_is_no_file_is_refused_by_its_name(tmp_path):
    with pytest.raises(OSError, match=f"{tmp_path}: is a folder; expected the path of a file to write"):
        ch.run("three-words").save(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("extra", [b"\0", b"\0" * 8, b"more"])
def test_bytes_after_the_end_are_damage(tmp_path, extra):
    path = tmp_path / "long"
    ch.run("three-words").save(path)
    path.write_bytes(path.read_bytes() + extra)
    with pytest.raises(ValueError, match="damaged or cut short"):
        ch.load_trace(path)


def test_no_flipped_bit_goes_unseen(tmp_path):
    """CRC-32 sees every single flipped bit; every 101st byte stands for all of them."""
    path = tmp_path / "flipped"
    ch.run("three-words").save(path)
    whole = path.read_bytes()
    for at in range(0, len(whole), 101):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1 :])
        with pytest.raises(ValueError, match=r"^\S+flipped: "):
            ch.load_trace(path)
