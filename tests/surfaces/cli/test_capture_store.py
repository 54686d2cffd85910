"""`clearhead capture --overview`: written into a folder layer by layer, and gone on with after Ctrl-C."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import clearhead as ch

TEXT = "the man said he was late"

pytestmark = pytest.mark.filterwarnings("ignore:::torch", "ignore:::transformers")


@pytest.fixture
def deep(small_models, tmp_path):
    """The folder of a model of many layers, and a text that each needs a moment for."""
    place = tmp_path / "deep"
    model = small_models.gpt2(n_layer=41, n_positions=1009)
    model.save_pretrained(place)
    small_models.tokenizer().save_pretrained(place)
    (tmp_path / "text.txt").write_text("the man was late " * 200, "utf-8")
    return place


def content(folder):
    return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def test_it_says_what_was_captured_and_keeps_it(run, transformer, tmp_path):
    folder = tmp_path / "store"
    given = ("capture", transformer, "--text", TEXT, "-o", str(folder), "--overview", "--bins", "5")
    done = run(*given)
    assert done.exit_code == 0, done.stderr
    title, _, agreement, kept = done.stdout.splitlines()
    assert title.startswith("Capture of ")
    assert agreement.startswith("Agreement: all 2 layers agree")
    assert kept.startswith(f"Kept in {folder} (")
    capture = ch.load_capture(folder)
    assert [one.mean.shape for one in capture.overviews.values()] == [(1, 3, 5, 5)] * 2
    before = content(folder)
    assert run(*given).stdout == done.stdout  # the same command finds it done
    assert content(folder) == before


def test_ctrl_c_says_what_is_kept_and_the_same_command_goes_on(deep, tmp_path):
    folder, text = tmp_path / "store", str(tmp_path / "text.txt")
    command = [sys.executable, "-m", "clearhead", "capture", str(deep), "--file", text, "--overview", "-o"]
    child = subprocess.Popen(
        [*command, str(folder)], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    while not (folder / "layer-0000.safetensors").exists() and child.poll() is None:
        time.sleep(0.001)
    child.send_signal(signal.SIGINT)
    said, error = child.communicate(timeout=240)
    *_, last = error.splitlines()
    assert (child.returncode, said) == (130, ""), error
    kept = len(list(folder.glob("layer-*.safetensors")))
    assert 0 < kept < 41
    layers = "1 layer is" if kept == 1 else f"{kept} layers are"
    assert last == (
        f"clearhead: stopped; {layers} kept whole in {folder}, and the same command goes on from there"
    )
    assert not [name for name in os.listdir(folder) if name.startswith(".")]
    for place in (folder, tmp_path / "whole"):
        done = subprocess.run([*command, str(place)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert content(folder) == content(tmp_path / "whole")


@pytest.mark.parametrize(
    ("output", "says"),
    [
        ("cap.safetensors", "with --overview the layers are written into a folder"),
        (".", "holds other things, such as mine; expected a new or empty folder"),
        ("mine", "is no folder; expected one for a store"),
        ("none/store", "there is no such folder to stand in"),
    ],
)
def test_a_place_that_cannot_be_is_told_before_anything_is_loaded(run, tmp_path, one_sentence, output, says):
    (tmp_path / "mine").write_text("mine")
    place = str(tmp_path / output)
    assert says in one_sentence(run("capture", "no-such", "--text", "x", "--overview", "-o", place))


def test_another_text_in_the_same_folder_is_one_sentence(run, transformer, tmp_path, one_sentence):
    folder = str(tmp_path / "store")
    assert run("capture", transformer, "--text", TEXT, "--overview", "-o", folder).exit_code == 0
    other = run("capture", transformer, "--text", "the man", "--overview", "-o", folder)
    assert other.exit_code == 1
    assert "holds another capture, of which these are not the same: text, inputs; expected" in other.stderr


def test_the_study_model_has_no_store(run, tmp_path, one_sentence):
    done = run("capture", "study", "--text", "the", "--overview", "-o", str(tmp_path / "store"))
    assert "--overview: is for long texts" in one_sentence(done)
