"""A capture goes to a file and comes back, bit for bit; whatever else is in a file is told in one sentence."""

import json
import subprocess
import sys
from dataclasses import fields, replace

import numpy as np
import pytest

from clearhead.trace.capture import tensors
from clearhead.trace.capture.capture import Capture
from clearhead.trace.capture.change import Change
from clearhead.trace.capture.failing import CaptureError
from clearhead.trace.capture.grid import Grid
from clearhead.trace.capture.held import Widened
from clearhead.trace.capture.saved import BEGINNING, KEY, is_capture, load_capture, save_capture

FORMATS = ["float64", "float32", "float16", "bfloat16"]
PARTS = ("query", "key", "value", "output")


def bits(held):
    return np.ascontiguousarray((held.bits if isinstance(held, Widened) else held)[...]).tobytes()


def facts(capture):
    """All of a capture that is no array."""
    names = [part.name for part in fields(Capture) if part.name != "layers"]
    layers = [
        (layer.tower, layer.number, layer.path, layer.what, layer.rows, layer.columns)
        for layer in capture.layers
    ]
    return {name: getattr(capture, name) for name in names}, layers


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cap.safetensors"


@pytest.fixture
def saved(hand_captures, path):
    """A capture and its file."""
    capture = hand_captures.random_capture()
    capture.save(path)
    return capture, path


@pytest.mark.parametrize("dtype", FORMATS)
def test_every_number_comes_back_as_it_was(hand_captures, path, dtype):
    capture = hand_captures.random_capture(dtype)
    capture.save(path)
    back = load_capture(path)
    assert facts(back) == facts(capture)
    for mine, theirs in zip(capture.attentions(), back.attentions(), strict=True):
        for name in PARTS:
            before, after = getattr(mine.attention, name), getattr(theirs.attention, name)
            assert (str(after.dtype), after.shape, bits(after)) == (dtype, before.shape, bits(before))
        for batch in range(2):
            assert (mine.attention.visible.table(batch, 0) == theirs.attention.visible.table(batch, 0)).all()
    assert repr(back.agreement) == repr(capture.agreement)
    assert (back.weights(2, batch=1) == capture.weights(2, batch=1)).all()


def test_what_is_added_to_the_scores_comes_back(saved):
    capture, path = saved
    mine, theirs = (one.layer(3).attention for one in (capture, load_capture(path)))
    assert (theirs.scale, theirs.soft_cap, theirs.notes) == (0.3, 13.0, ("a note",))
    assert bits(theirs.sink) == bits(mine.sink)
    assert bits(theirs.bias.values) == bits(mine.bias.values)
    assert (theirs.bias.by_distance, theirs.bias.queries) == (False, 7)
    mine, theirs = (one.head(3, 4, batch=1) for one in (capture, load_capture(path)))
    assert list(mine) == list(theirs)
    assert all(mine[name].values.tobytes() == theirs[name].values.tobytes() for name in mine)


def test_changes_and_grids_come_back(hand_captures, path):
    changes = (Change("off", 1, 2), Change("weight", 0, 1, 3, 2, 0.1 + 0.2))
    before = (({"id": 2, "text": "y", "probability": 0.5},),) * 2
    capture = replace(
        hand_captures.random_capture(), changes=changes, before=before, grids={"text": Grid(2, 3, 1)}
    )
    first = replace(
        capture.layers[0].attention, off=(2, 3), weights_set=((1, 3, 2, 0.1 + 0.2),), dropout=0.25
    )
    capture = replace(capture, layers=(replace(capture.layers[0], attention=first), *capture.layers[1:]))
    capture.save(path)
    back = load_capture(path)
    assert facts(back) == facts(capture)
    again = back.layer(0).attention
    assert (again.off, again.weights_set, again.dropout) == (first.off, first.weights_set, first.dropout)


def test_what_the_layers_share_is_there_once(saved):
    _, path = saved
    names = tensors.read_header(path)[0]
    assert sorted(name for name in names if name.startswith("mask")) == [
        "mask0.end",
        "mask0.row",
        "mask0.start",
    ]
    first, second = list(load_capture(path).attentions())[:2]
    assert first.attention.visible.pattern(0, 0) is second.attention.visible.pattern(0, 0)
    assert second.attention.visible.pattern(1, 0).name == "causal"


@pytest.mark.parametrize("dtype", FORMATS)
def test_any_reader_of_safetensors_opens_it(hand_captures, path, dtype):
    safetensors = pytest.importorskip("safetensors")
    torch = pytest.importorskip("torch")
    capture = hand_captures.random_capture(dtype)
    capture.save(path)
    with safetensors.safe_open(path, framework="pt") as file:
        assert set(file.keys()) == set(tensors.read_header(path)[0])
        query = file.get_tensor("L1.query")
        assert json.loads(file.metadata()[KEY])["version"] == 1
    assert query.dtype == getattr(torch, dtype)
    assert (query.double().numpy() == capture.layer(1).attention.query[:, :]).all()


@pytest.mark.parametrize("dtype", FORMATS)
def test_tensors_are_written_as_they_are(hand_captures, path, dtype):
    torch = pytest.importorskip("torch")
    from clearhead.sources.models.held import HeldTensor

    capture = hand_captures.random_capture()
    values = torch.randn(2, 7, 5, 11, generator=torch.Generator().manual_seed(3)).to(getattr(torch, dtype))
    values[0, 0, 0, :3] = torch.tensor([float("inf"), float("nan"), -0.0])
    turned = values.transpose(1, 2)  # as models hand them over: not in one piece
    layer = capture.layers[0]
    layer = replace(layer, attention=replace(layer.attention, query=HeldTensor(turned)))
    replace(capture, layers=(layer,)).save(path)
    back = load_capture(path).layer(0).attention.query
    assert bits(back) == turned.contiguous().view(torch.uint8).numpy().tobytes()


def test_what_lies_around_the_heads_comes_back(hand_captures, path):
    capture, below = hand_captures.random_capture(), hand_captures.random_below()
    replace(capture, layers=(replace(capture.layers[0], beneath=lambda: below),)).save(path)
    back = load_capture(path).layer(0).below
    assert (back.why, back.W_O, set(back.projections)) == (below.why, None, {"Q", "K"})
    assert back.cos.tobytes() == below.cos.tobytes()
    for part, one in below.projections.items():
        again = back.projections[part]
        assert bits(again.hidden) == bits(one.hidden)
        assert bits(again.weight) == bits(one.weight)
        assert again.columns.tolist() == one.columns.tolist()
        assert (again.factor, again.rotated, again.pairs) == (one.factor, one.rotated, one.pairs)
    assert back.projections["Q"].norm.epsilon == 1e-5
    assert len([name for name in tensors.read_header(path)[0] if ".below.hidden" in name]) == 1


def test_it_can_be_left_out_which_is_said(hand_captures, path):
    capture = hand_captures.random_capture()
    layer = replace(capture.layers[0], beneath=hand_captures.random_below)
    replace(capture, layers=(layer,)).save(path, below=False)
    back = load_capture(path)
    assert not [name for name in tensors.read_header(path)[0] if "below" in name]
    assert "left out of the file" in back.layer(0).below.sentence


def test_arrays_are_taken_over_in_parts(hand_captures, path, monkeypatch):
    class Watched:
        dtype, parts = "float32", []

        def __init__(self, values):
            self.values, self.shape = values, values.shape

        def __getitem__(self, index):
            self.parts.append(self.values[index].size)
            return self.values[index]

    monkeypatch.setattr(tensors, "PIECE", 8 * 11 * 7 * 2)  # two heads' queries of float64
    capture = hand_captures.random_capture()
    layer = capture.layers[0]
    query = Watched(layer.attention.query)
    replace(capture, layers=(replace(layer, attention=replace(layer.attention, query=query)),)).save(path)
    assert max(query.parts) == 2 * 7 * 11
    assert sum(query.parts) == query.values.size
    assert bits(load_capture(path).layer(0).attention.query) == bits(query.values)


def test_how_far_it_is_is_told(hand_captures, path):
    told = []
    save_capture(
        hand_captures.random_capture(), path, progress=lambda done, total: told.append((done, total))
    )
    assert told[-1][0] == told[-1][1] == path.stat().st_size - tensors.read_header(path)[2]
    assert told == sorted(told)


def test_what_is_done_to_numbers_that_were_read_changes_nothing_else(saved):
    query = load_capture(saved[1]).layer(0).attention.query
    query[0][:] = 0
    assert bits(query) == bits(saved[0].layer(0).attention.query)
    assert bits(load_capture(saved[1]).layer(0).attention.query) == bits(query)


def test_it_is_read_without_torch(saved):
    program = (
        "import sys; sys.modules['torch'] = sys.modules['transformers'] = None\n"
        "import clearhead as ch\n"
        f"cap = ch.load_capture({str(saved[1])!r})\n"
        "print(cap.agreement.agrees, len(cap.head(1, 2)), len(ch.head_statistics(cap)), cap.tokens[0].text)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    head = saved[0].head(1, 2)
    assert done.stdout.split() == [str(saved[0].agreement.agrees), str(len(head)), "20", "w0"]


def test_a_capture_may_be_written_over_the_file_it_was_read_from(saved):
    capture, path = saved
    back = load_capture(path)
    back.save(path)
    again = load_capture(path)
    for mine, old, new in zip(capture.attentions(), back.attentions(), again.attentions(), strict=True):
        for name in PARTS:
            assert len({bits(getattr(one.attention, name)) for one in (mine, old, new)}) == 1


def test_what_is_there_stays_unless_all_can_be_written(saved, monkeypatch):
    capture, path = saved
    content = path.read_bytes()

    def full(*_):
        yield b"some"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tensors, "pieces", full)
    with pytest.raises(OSError, match="No space left") as caught:
        capture.save(path)
    assert caught.value.filename == str(path)
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_is_no_place(hand_captures, tmp_path):
    with pytest.raises(OSError, match=r"is a folder; expected the path of a file to write"):
        hand_captures.random_capture().save(tmp_path)


def test_what_json_cannot_say_is_one_sentence(hand_captures, path):
    capture = replace(hand_captures.random_capture(), provenance={"model": {1, 2}})
    with pytest.raises(CaptureError, match=r"cap\.safetensors: this capture cannot be saved"):
        capture.save(path)
    assert not path.exists()


@pytest.mark.parametrize("left", [0, 3, 8, 21, len(BEGINNING) + 9, 0.1, 0.5, 0.9, -1])
def test_a_file_that_was_cut_short_is_one_sentence(saved, left):
    content = saved[1].read_bytes()
    saved[1].write_bytes(content[: int(left * len(content)) if isinstance(left, float) else left])
    with pytest.raises(
        CaptureError, match=r"cap\.safetensors: (the capture is damaged|not a Clearhead)"
    ) as caught:
        load_capture(saved[1])
    assert "\n" not in str(caught.value)
    assert ("cut short" in str(caught.value)) == (left not in (0, 3, 8, 21))


def test_a_newer_version_is_one_sentence(saved):
    content = saved[1].read_bytes()
    saved[1].write_bytes(content.replace(rb"{\"version\":1", rb"{\"version\":7", 1))
    with pytest.raises(
        CaptureError, match=r"written by a newer Clearhead \(format 7\); this one reads up to 1"
    ):
        load_capture(saved[1])


def test_the_weights_of_a_model_are_no_capture(path):
    pytest.importorskip("safetensors")
    from safetensors.numpy import save_file

    save_file({"w": np.ones((2, 3), np.float32)}, path, {"format": "pt"})
    with pytest.raises(
        CaptureError, match=r"cap\.safetensors: holds arrays, such as a model's weights, but is no "
    ):
        load_capture(path)
    assert not is_capture(path)


@pytest.mark.parametrize("content", [b"", b"hello", b"\0" * 100, b"[1, 2]" * 9, b"\2\0\0\0\0\0\0\0[]"])
def test_something_else_is_no_capture(path, content):
    path.write_bytes(content)
    with pytest.raises(CaptureError, match=r"cap\.safetensors: "):
        load_capture(path)
    assert not is_capture(path)


def test_a_file_that_is_not_there(tmp_path):
    for place in (tmp_path, tmp_path / "none"):
        with pytest.raises(CaptureError, match=r"cannot be read \(.*expected a file written by"):
            load_capture(place)
        assert not is_capture(place)
