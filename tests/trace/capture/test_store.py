"""Stores: a folder whose layers are written one by one, gone on with after a break, and never shown if damaged."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from clearhead.trace.capture import tensors
from clearhead.trace.capture.failing import CaptureError
from clearhead.trace.capture.held import Widened
from clearhead.trace.capture.saved import is_capture, load_capture, save_capture
from clearhead.trace.capture.store import Store

RUN = {"model": "by hand", "dtype": "float32", "weights": "blake2b:12"}


def write(folder, capture, made_of=RUN, count=None):
    """Keep the first `count` layers; all, and the store is finished, if none is said. Gives which were written."""
    written = []
    with Store.opened(folder, made_of) as store:
        files = {}
        layers = [layer for layer in capture.layers if layer.attention is not None]
        for number, layer in enumerate(layers[:count]):
            written.append(store.keep(number, layer.attention, None))
            files[layer.label] = store.layer(number).file
        if count is None:
            store.finish(capture, files)
    return written


def content(folder):
    return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def bits(held):
    return (held.bits if isinstance(held, Widened) else held)[...].tobytes()


def numbers(capture):
    return [
        bits(part)
        for layer in capture.attentions()
        for part in (
            layer.attention.query,
            layer.attention.key,
            layer.attention.value,
            layer.attention.output,
        )
    ]


@pytest.fixture
def capture(hand_captures):
    return hand_captures.random_capture()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "store"


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_it_opens_as_a_capture_with_every_number_as_it_was(hand_captures, folder, dtype):
    capture = hand_captures.random_capture(dtype)
    write(folder, capture)
    read = load_capture(folder)
    assert numbers(read) == numbers(capture)
    assert (read.texts, read.provenance) == (capture.texts, capture.provenance)
    for one, other in zip(read.layers, capture.layers, strict=True):
        assert (one.label, one.path, one.what) == (other.label, other.path, other.what)
    for one, other in zip(read.attentions(), capture.attentions(), strict=True):
        mine, own = one.attention, other.attention
        np.testing.assert_array_equal(mine.visible.table(1, 0), own.visible.table(1, 0))
        assert (mine.bias is None, mine.sink is None) == (own.bias is None, own.sink is None)
        assert (mine.scale, mine.kernel, mine.notes) == (own.scale, own.kernel, own.notes)
    assert [vars(one) for one in read.agreement] == [vars(one) for one in capture.agreement]
    assert "left out" in read.layer(0).below.sentence
    assert is_capture(folder)
    assert is_capture(folder / "capture.safetensors")
    assert numbers(load_capture(folder / "capture.safetensors")) == numbers(capture)


def test_it_is_safetensors_throughout_and_can_be_saved_as_one_file(capture, folder, tmp_path):
    write(folder, capture)
    for path in folder.glob("*.safetensors"):
        tensors.checksums_of(path, *(lambda header: (header[0], header[2]))(tensors.read_header(path)))
    save_capture(load_capture(folder), tmp_path / "one.safetensors")
    assert numbers(load_capture(tmp_path / "one.safetensors")) == numbers(capture)


def test_what_is_broken_off_goes_on_to_the_same_bytes(capture, folder, tmp_path):
    write(tmp_path / "whole", capture)
    write(folder, capture, count=2)
    assert is_capture(folder)
    with pytest.raises(
        CaptureError, match=r"not finished \(2 layers kept\); expected the same capture run again"
    ):
        load_capture(folder)
    (folder / ".layer-0002.safetensors.17.part").write_bytes(b"half")  # as a process leaves it that is killed
    assert write(folder, capture) == [False, False, *[True] * (len(list(capture.attentions())) - 2)]
    assert content(folder) == content(tmp_path / "whole")
    assert not any(write(folder, capture))
    assert content(folder) == content(tmp_path / "whole")


@pytest.mark.parametrize("left", [0, 3, 8, 0.1, 0.5, 0.99, -1])
def test_a_layer_that_is_cut_short_is_never_shown_and_made_again(capture, folder, left):
    write(folder, capture)
    before, path = content(folder), folder / "layer-0001.safetensors"
    size = len(before[path.name])
    os.truncate(path, int(left * size) if isinstance(left, float) else left % size)
    with pytest.raises(
        CaptureError, match=r"layer-0001\.safetensors: the layer is missing, damaged or cut short"
    ):
        load_capture(folder)
    assert write(folder, capture)[:3] == [False, True, False]
    assert content(folder) == before


def test_no_bit_that_is_flipped_is_shown_and_a_run_repairs_it(capture, folder):
    write(folder, capture)
    before, was = content(folder), numbers(capture)
    path, random = folder / "layer-0000.safetensors", np.random.default_rng(7)
    raw, seen = before[path.name], 0
    for place in np.linspace(0, len(raw) - 1, 53).astype(int):
        damaged = bytearray(raw)
        damaged[place] ^= 1 << int(random.integers(8))
        path.write_bytes(damaged)
        try:
            assert (
                numbers(load_capture(folder)) == was
            )  # it means nothing, or lies in what is not looked at here
        except CaptureError as error:
            assert "layer-0000.safetensors: " in str(error)  # noqa: PT017
            seen += 1
        if place % 5 == 0:
            write(folder, capture)
            assert content(folder) == before
    assert seen > 40


def test_a_layer_of_another_run_or_none_at_all_is_not_taken_for_one(capture, folder, tmp_path, hand_captures):
    write(folder, capture)
    write(tmp_path / "other", hand_captures.random_capture(queries=11, keys=11))
    shutil.copy(tmp_path / "other" / "layer-0000.safetensors", folder)
    with pytest.raises(CaptureError, match="it is not the one that the store was finished with"):
        load_capture(folder)
    (folder / "layer-0000.safetensors").unlink()
    with pytest.raises(CaptureError, match=r"missing, damaged or cut short \(no such file"):
        load_capture(folder)
    save_capture(capture, folder / "layer-0000.safetensors")
    with pytest.raises(CaptureError, match="its description is not that of a layer"):
        load_capture(folder)


def test_what_puts_the_layers_together_is_damaged(capture, folder):
    write(folder, capture)
    path = folder / "capture.safetensors"
    raw = path.read_bytes()
    for place in (3, len(raw) // 2):
        path.write_bytes(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :])
        with pytest.raises(CaptureError, match=r"capture\.safetensors is damaged|not a Clearhead capture"):
            load_capture(folder)
    path.write_bytes(raw[:-1] if raw[-1:] != b" " else raw[:-9])
    with pytest.raises(CaptureError):
        load_capture(folder)


@pytest.mark.parametrize(
    ("made_of", "said"),
    [
        ({"dtype": "bfloat16"}, r"dtype \(float32 there, bfloat16 here\)"),
        ({"weights": "blake2b:13"}, "these are not the same: weights;"),
        ({"model": "another", "weights": "blake2b:13"}, r"model \(by hand there, another here\), weights;"),
        ({"bins": 17}, r"bins \(none there, 17 here\)"),
    ],
)
def test_another_run_is_refused_by_what_differs(capture, folder, made_of, said):
    write(folder, capture, count=1)
    before = content(folder)
    with pytest.raises(CaptureError, match=said):
        write(folder, capture, RUN | made_of)
    assert content(folder) == before


def test_a_place_that_cannot_be_a_store_is_refused(capture, folder, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(CaptureError, match="is no folder"):
        write(tmp_path / "file", capture)
    with pytest.raises(
        CaptureError, match="holds other things, such as file; expected a new or empty folder"
    ):
        write(tmp_path, capture)
    with pytest.raises(CaptureError, match="there is no such folder to stand in"):
        write(folder / "deeper", capture)
    folder.mkdir()
    write(folder, capture, count=1)
    (folder / "about.json").write_text("{")
    with pytest.raises(CaptureError, match=r"its about\.json is damaged"):
        write(folder, capture)
    (folder / "about.json").write_text(json.dumps({"clearhead-store": 2, "made of": {}}))
    with pytest.raises(CaptureError, match="written by another Clearhead"):
        write(folder, capture)
    with pytest.raises(CaptureError, match="folder that holds no store"):
        load_capture(tmp_path)
    assert not is_capture(tmp_path)


def test_two_runs_do_not_write_into_one_folder(capture, folder):
    write(folder, capture, count=1)
    program = (
        "import sys; from clearhead.trace.capture.store import Store\n"
        f"with Store.opened(sys.argv[1], {RUN!r}): print('in', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "in\n"
        with pytest.raises(CaptureError, match="another run is writing into this folder"):
            write(folder, capture)
        other.stdin.close()
        other.wait(60)
    write(folder, capture)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a file that is always full")
def test_a_full_disk_is_one_sentence_and_the_run_goes_on_later(capture, folder, tmp_path):
    write(tmp_path / "whole", capture)
    full = folder / f".layer-0001.safetensors.{os.getpid()}.part"
    with Store.opened(folder, RUN) as store:
        store.keep(0, capture.layers[0].attention, None)
        full.symlink_to("/dev/full")
        with pytest.raises(
            CaptureError, match=r"\(the disk is full\); 1 layer is kept there whole, and the same"
        ):
            store.keep(1, capture.layers[1].attention, None)
    assert sorted(content(folder)) == ["about.json", "layer-0000.safetensors"]
    write(folder, capture)
    assert content(folder) == content(tmp_path / "whole")


def test_while_a_layer_is_made_again_the_store_is_not_finished(capture, folder):
    write(folder, capture)
    (folder / "layer-0001.safetensors").write_bytes(b"")
    write(folder, capture, count=2)
    with pytest.raises(CaptureError, match="not finished"):
        load_capture(folder)


def test_a_layer_that_no_longer_belongs_to_it_is_gone_in_the_end(capture, folder):
    write(folder, capture, count=3)
    fewer = replace(capture, layers=capture.layers[:2])
    write(folder, fewer)
    assert not (folder / "layer-0002.safetensors").exists()
    assert len(load_capture(folder).layers) == 2


def test_a_finished_store_is_read_without_what_it_was_made_of_and_not_gone_on_with(capture, folder):
    write(folder, capture)
    (folder / "about.json").unlink()
    assert is_capture(folder)
    assert numbers(load_capture(folder)) == numbers(capture)
    with pytest.raises(CaptureError, match=r"holds layers of a store, but its about\.json is missing"):
        write(folder, capture)
