"""A recording gives back what was saved, bit for bit; what is damaged is named and passed over."""

import json
import shutil
import struct
import zlib

import numpy as np
import pytest

from clearhead.trace.recording import Recording, RecordingError
from clearhead.trace.recording.checkpoint import DTYPES, parse_checkpoint


def numbers(step):
    """Arrays that tell steps apart; 2 rows of 3, and a number alone."""
    return {"E": np.arange(6.0).reshape(2, 3) + step, "count": np.array(step)}


@pytest.fixture
def saved(tmp_path):
    """A recording of the steps 0, 5 and 11, and its folder."""
    recording = Recording.create(tmp_path / "run", {"optimizer": "sgd", "seed": 7})
    for step in (0, 5, 11):
        losses = [1 / (1 + number) for number in range(step)]
        recording.save(step, numbers(step), losses, {"at": step, "name": "schön"})
    return recording


def damaged(recording, step, change):
    """Change the bytes of a step's file."""
    file = recording._file(step)
    file.write_bytes(change(file.read_bytes()))
    return file


def refusal(action, *arguments):
    """The one sentence that an action is refused with."""
    with pytest.raises(RecordingError) as caught:
        action(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_recording_comes_back(saved):
    back = Recording.open(saved.path)
    assert back.header == {"optimizer": "sgd", "seed": 7}
    assert back.steps == [0, 5, 11]
    assert back.arrays(5)["E"].tolist() == [[5, 6, 7], [8, 9, 10]]
    assert back.arrays(11)["count"].shape == ()
    assert back.arrays(11)["count"].item() == 11
    assert back.state(5) == {"at": 5, "name": "schön"}
    assert back.losses.tolist() == [1 / (1 + number) for number in range(11)]
    newest, damage = back.newest()
    assert (newest.step, damage) == (11, [])
    assert repr(back) == f"Recording of 3 steps up to 11 in {saved.path}"


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_comes_back_bit_for_bit(tmp_path, dtype):
    """All bytes from 0 to 255 in order: among them nan with a payload and subnormal numbers."""
    raw = np.arange(256, dtype=np.uint8)
    array = raw % 2 == 1 if dtype == "bool" else raw.view(dtype)
    given = {
        "plain": array,
        "strided": array[::3],
        "empty": array[:0].reshape(0, 5),
        "one": array[7].reshape(()),
    }
    recording = Recording.create(tmp_path / "run", {})
    recording.save(3, given, [])
    back = recording.arrays(3)
    for name, expected in given.items():
        assert (back[name].dtype, back[name].shape) == (np.dtype(dtype), expected.shape)
        assert back[name].tobytes() == expected.tobytes()
    with pytest.raises(ValueError, match="read-only"):
        back["plain"][0] = 1


def test_transposed_arrays_keep_their_order(tmp_path):
    recording = Recording.create(tmp_path / "run", {})
    recording.save(0, {"turned": np.arange(6).reshape(2, 3).T}, [])
    assert recording.arrays(0)["turned"].tolist() == [[0, 3], [1, 4], [2, 5]]


def test_losses_may_be_anything_a_float_can_be(tmp_path):
    recording = Recording.create(tmp_path / "run", {})
    recording.save(3, {}, [0.1, np.nan, -np.inf])
    assert recording.losses.tobytes() == np.array([0.1, np.nan, -np.inf]).tobytes()


def test_the_file_is_as_documented(saved):
    """uint32 length, JSON, losses and then arrays at multiples of 8, CRC-32: read with struct and json alone."""
    raw = saved._file(11).read_bytes()
    (length,) = struct.unpack_from("<I", raw)
    header = json.loads(raw[4 : 4 + length])
    assert (header["format"], header["version"], header["step"]) == ("clearhead-checkpoint", 1, 11)
    assert header["arrays"] == ["E", "count"]
    losses, E, _ = header["buffers"]
    assert struct.unpack_from("<2d", raw, 4 + length + losses["offset"]) == (1, 0.5)
    assert struct.unpack_from("<6d", raw, 4 + length + E["offset"]) == (11, 12, 13, 14, 15, 16)
    assert struct.unpack("<Q", raw[-8:]) == (zlib.crc32(raw[:-8]),)


def test_a_step_can_be_saved_again(saved):
    saved.save(11, numbers(2), [5])
    assert saved.arrays(11)["count"] == 2
    assert Recording.open(saved.path).losses.tolist() == [5]


def test_a_recording_without_steps_has_no_newest(tmp_path):
    recording = Recording.create(tmp_path / "a" / "run", {})
    assert recording.steps == []
    assert recording.newest() == (None, [])
    assert recording.losses.shape == (0,)
    assert "step 0 was not saved; expected a recording in which something was saved" in refusal(
        recording.state, 0
    )


def test_a_step_that_was_not_saved_is_refused(saved):
    assert refusal(saved.arrays, 7) == f"{saved.path}: step 7 was not saved; expected one of 0, 5, 11"


def test_a_damaged_step_is_named_and_the_one_before_is_taken(saved):
    file = damaged(saved, 11, lambda raw: raw[:-50] + bytes([raw[-50] ^ 1]) + raw[-49:])
    newest, damage = Recording.open(saved.path).newest()
    assert newest.step == 5
    assert damage == [f"{file}: the checkpoint is damaged or cut short (its checksum does not fit)"]
    assert Recording.open(saved.path).losses.shape == (5,)
    assert refusal(saved.state, 11) == damage[0]
    damaged(saved, 5, lambda raw: raw[: len(raw) // 2])
    damaged(saved, 0, lambda raw: b"")
    newest, damage = saved.newest()
    assert newest is None
    assert [sentence.split(":")[0].rsplit("/", 1)[1] for sentence in damage] == [
        "step-00000011.checkpoint", "step-00000005.checkpoint", "step-00000000.checkpoint",
    ]  # fmt: skip


def test_a_file_cut_short_anywhere_or_with_any_flipped_bit_is_refused(saved):
    whole = saved._file(11).read_bytes()
    assert parse_checkpoint(whole, "file").step == 11
    for at in range(len(whole)):
        refusal(parse_checkpoint, whole[:at], "file")
        refusal(parse_checkpoint, whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :], "file")


def test_a_file_under_another_step_s_name_is_refused(saved):
    shutil.copy(saved._file(5), saved._file(11))
    assert refusal(saved.state, 11).endswith("holds step 5; expected what its name says")
    assert saved.newest()[0].step == 5


def test_a_newer_checkpoint_says_so(saved):
    def newer(raw):
        raw = raw[:-8].replace(b'"version":1', b'"version":2')
        return raw + struct.pack("<Q", zlib.crc32(raw))

    damaged(saved, 11, newer)
    assert "written by a newer Clearhead (format 2); this one reads up to 1" in refusal(saved.state, 11)


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"5", b'"x"', b"\xff", b"[" * 10**5, b'{"format": "clearhead-recording"}',
        b'{"format": "other", "version": 1, "header": {}}',
        b'{"format": "clearhead-recording", "version": "1", "header": {}}',
        b'{"format": "clearhead-recording", "version": 1, "header": []}',
    ],
)  # fmt: skip
def test_a_damaged_header_is_refused(saved, content):
    (saved.path / "recording.json").write_bytes(content)
    assert "recording.json: is no header of a recording, or damaged" in refusal(Recording.open, saved.path)


def test_a_newer_recording_says_so(saved):
    header = {"format": "clearhead-recording", "version": 2, "header": {}}
    (saved.path / "recording.json").write_text(json.dumps(header))
    assert refusal(Recording.open, saved.path).endswith("(format 2); this one reads up to 1")


def test_opening_what_is_no_recording_is_refused(tmp_path):
    (tmp_path / "file").write_text("text")
    for path in (tmp_path, tmp_path / "nothing", tmp_path / "file"):
        message = refusal(Recording.open, path)
        assert message.startswith(f"{path}: no recording can be read here")
        assert message.endswith("expected the folder of a recording")


def test_creating_over_something_else_is_refused_and_leaves_it_alone(saved, tmp_path):
    (tmp_path / "file").write_text("text")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "one.jpg").write_text("x")
    expected = "expected the path of a new or empty folder"
    assert refusal(Recording.create, tmp_path / "file", {}) == f"{tmp_path / 'file'}: is a file; {expected}"
    assert "photos: holds other things (one.jpg)" in refusal(Recording.create, tmp_path / "photos", {})
    assert "run: holds a recording already" in refusal(Recording.create, saved.path, {})
    assert [file.name for file in (tmp_path / "photos").iterdir()] == ["one.jpg"]
    assert Recording.open(saved.path).steps == [0, 5, 11]


def test_an_empty_folder_and_one_where_creating_was_interrupted_are_welcome(tmp_path):
    Recording.create(tmp_path, {"a": 1})
    (tmp_path / "again").mkdir()
    (tmp_path / "again" / ".recording.json.123.part").write_text("{")
    assert Recording.create(tmp_path / "again", {}).steps == []
    assert Recording.create(tmp_path / "again", {"b": 2}).steps == []  # the header alone: nothing can be lost
    assert Recording.open(tmp_path / "again").header == {"b": 2}


def test_what_is_no_json_or_no_array_of_numbers_is_refused_and_leaves_nothing(saved, tmp_path):
    before = sorted(file.name for file in saved.path.iterdir())
    assert "state: cannot be written as JSON" in refusal(saved.save, 13, {}, [], object())
    assert "state: cannot be written as JSON" in refusal(saved.save, 13, {}, [], {"x": float("nan")})
    assert refusal(saved.save, 13, {"words": np.array(["a"])}, []).startswith("words: an array of <U1 cannot")
    assert refusal(saved.save, 13, {"z": np.zeros(2, complex)}, []).startswith(
        "z: an array of complex128 cannot"
    )
    assert sorted(file.name for file in saved.path.iterdir()) == before
    assert refusal(Recording.create, tmp_path / "new", {"x": object()}).startswith(
        "header: cannot be written"
    )
    assert not (tmp_path / "new").exists()


def test_what_a_killed_process_left_half_written_is_removed_by_the_next_that_saves(saved):
    left = saved.path / ".step-00000013.checkpoint.99.part"
    left.write_bytes(b"half")
    reader = Recording.open(saved.path)
    assert reader.newest()[0].step == 11
    assert left.exists()  # reading changes nothing
    reader.save(13, {}, [])
    assert not left.exists()
    assert reader.steps == [0, 5, 11, 13]


def test_a_relative_path_holds_when_the_working_folder_changes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    recording = Recording.create("run", {})
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    recording.save(1, {}, [2.0])
    assert Recording.open(tmp_path / "run").steps == [1]
