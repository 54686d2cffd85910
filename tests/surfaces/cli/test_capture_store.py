"""`clearhead capture --overview`: written into a folder layer by layer, and gone on with after Ctrl-C."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import clearhead as ch

TEXT = "the man said he was late"

pytestmark = pytest.mark.filterwarnings("ignore:::torch", "ignore:::transformers")


@pytest.fixture
def deep(small_models, tmp_path):
    """The folder of a model of a few layers, and a text for it."""
    place = tmp_path / "deep"
    model = small_models.gpt2(n_layer=3, n_positions=1009)
    model.save_pretrained(place)
    small_models.tokenizer().save_pretrained(place)
    (tmp_path / "text.txt").write_text("the man was late " * 200, "utf-8")
    return place


STOPPED = """
import os, signal
from clearhead.surfaces.cli.app import main
from clearhead.trace.capture.store import Store

keep = Store.keep
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests run in the background of a shell

def stopped(self, number, *given):
    if number == 1:
        os.kill(os.getpid(), signal.SIGINT)
    return keep(self, number, *given)

Store.keep = stopped
main()
"""
"""The command, and Ctrl-C when it is about to keep its second layer."""


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
    given = ["capture", str(deep), "--file", text, "--overview", "-o"]
    stopped = subprocess.run(
        [sys.executable, "-c", STOPPED, *given, str(folder)], capture_output=True, text=True, timeout=240
    )
    assert (stopped.returncode, stopped.stdout) == (130, ""), stopped.stderr
    assert [path.name for path in folder.glob("layer-*")] == ["layer-0000.safetensors"]
    assert stopped.stderr.splitlines()[-1] == (
        f"clearhead: stopped; 1 layer is kept whole in {folder}, and the same command goes on from there"
    )
    assert not [name for name in os.listdir(folder) if name.startswith(".")]
    command = [sys.executable, "-m", "clearhead", *given]
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


def test_the_study_model_is_written_into_a_store_too(run, tmp_path, one_sentence):
    folder, text = tmp_path / "store", "the man saw the woman and he works."
    given = ("capture", "study", "--overview", "--bins", "3", "-o", str(folder), "--text")
    done = run(*given, text)
    assert done.exit_code == 0, done.stderr
    assert f"Kept in {folder} (" in done.stdout
    before, capture = content(folder), ch.load_capture(folder)
    assert {one.mean.shape[2:] for one in capture.overviews.values()} == {(3, 3)}
    assert run(*given, text).stdout == done.stdout
    assert content(folder) == before
    plain = str(tmp_path / "cap.safetensors")
    assert run("capture", "study", "--text", text, "-o", plain).exit_code == 0
    for command in (("heads",), ("why", "L1H2.weights[5,2]")):
        told = [run(command[0], place, *command[1:]) for place in (str(folder), plain)]
        assert told[0].exit_code == 0, told[0].stderr
        assert told[0].stdout == told[1].stdout
    assert "holds another capture, of which these are not the same: text" in one_sentence(
        run(*given, "the woman works.")
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--overview", "--below"), "--below: a store has no room for the layers' inputs"),
        (("--bins", "5"), "--bins: is for an overview; expected --overview with it"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(run, tmp_path, options, says):
    done = run("capture", "study", "--text", "the", "-o", str(tmp_path / "store"), *options, COLUMNS="200")
    assert done.exit_code == 2
    assert says in done.stderr
