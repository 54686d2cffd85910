"""`clearhead capture`: a model run once, what is said of it, and the file that is kept."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import clearhead as ch
from clearhead.trace.installing import install

TEXT = "the man said he was late"

pytestmark = pytest.mark.filterwarnings("ignore:::torch", "ignore:::transformers")


def test_it_says_what_was_captured_and_keeps_it(run, transformer, tmp_path):
    path = tmp_path / "cap.safetensors"
    done = run("capture", transformer, "--text", TEXT, "-o", str(path))
    assert (done.exit_code, done.stderr.count("Traceback")) == (0, 0), done.stderr
    title, following, agreement, kept = done.stdout.splitlines()
    name = Path(transformer).name  # the folder's, not the whole path
    assert title.startswith(f"Capture of {name}: 2 attention layers of 3 heads, 6 tokens  GPT2LMHeadModel, ")
    assert following.startswith("Next: ")
    assert agreement.startswith(
        "Agreement: all 2 layers agree with what the model's kernels returned; the largest "
    )
    assert kept.startswith(f"Kept in {path} (")
    capture = ch.load_capture(path)
    assert [token.text.strip() for token in capture.tokens] == TEXT.split()
    assert capture.provenance["model"] == name
    assert capture.agreement.agrees


def test_a_text_may_come_from_a_file_and_a_model_may_go_on(run, transformer, tmp_path):
    (tmp_path / "text.txt").write_text(TEXT, "utf-8")
    path = str(tmp_path / "cap.safetensors")
    how = ("--file", str(tmp_path / "text.txt"), "--generate", "3", "--dtype", "bfloat16", "--no-below")
    done = run("capture", transformer, *how, "-o", path)
    assert done.exit_code == 0, done.stderr
    capture = ch.load_capture(path)
    assert (capture.prompt, len(capture.tokens)) == (6, 8)
    assert capture.layer(0).attention.query.dtype == "bfloat16"
    assert "left out of the file" in capture.layer(0).below.sentence


def test_a_switch_is_kept_with_it(run, transformer, tmp_path):
    path = str(tmp_path / "cap.safetensors")
    done = run("capture", transformer, "--text", TEXT, "--change", "L1H2 off", "-o", path)
    assert done.exit_code == 0, done.stderr
    assert [str(change) for change in ch.load_capture(path).changes] == ["L1H2 off"]


def test_the_model_that_comes_along_needs_nothing_else(tmp_path):
    program = (
        "import sys; sys.modules['torch'] = sys.modules['transformers'] = None\n"
        "sys.argv = 'clearhead capture study --text the -o cap.safetensors'.split()\n"
        "from clearhead.surfaces.cli.app import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.startswith("Capture of study: "), done.stderr
    assert "layers agree with what the model's kernels returned" in done.stdout
    assert ch.load_capture(tmp_path / "cap.safetensors").layer(0).below.projections


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["no-such", "--text", "x"], "no-such: there is no such folder or file here"),
        (
            ["MODEL", "--file", "no-such"],
            "no-such: cannot be read (no such file or directory); expected a text file",
        ),
        (["MODEL", "--file", "/"], "/: cannot be read"),
        (
            ["MODEL", "--text", "x", "--dtype", "int8"],
            "dtype: expected float32, float64, bfloat16 or float16",
        ),
        (["MODEL", "--text", "x", "--device", "mars"], "device: 'mars' is none"),
        (["MODEL", "--text", "x", "--change", "upside down"], "change: 'upside down' is none; expected"),
        (["MODEL", "--text", "x", "--decoder", "y"], ""),
        (["study", "--text", "xyzzy"], "text: "),
        (["study", "--text", ""], "--text: is empty; expected something to read"),
        (["MODEL", "--text", " \n"], "--text: is empty; expected something to read"),
        (["MODEL", "--file", os.devnull], f"{os.devnull}: is empty; expected something to read"),
        (["study", "--text", "the", "--remote-code"], "--remote-code is for a model that is loaded"),
        (["study", "--text", "the", "--change", "upside down"], "change: 'upside down' is none; expected"),
    ],
)
def test_bad_input_is_one_sentence(run, transformer, tmp_path, arguments, says):
    given = [transformer if word == "MODEL" else word for word in arguments]
    done = run("capture", *given, "-o", str(tmp_path / "cap.safetensors"))
    assert (done.exit_code, done.stdout) == (1, "")
    *_, last = done.stderr.splitlines()
    assert last.startswith(f"clearhead: {says}")
    assert not (tmp_path / "cap.safetensors").exists()


def test_a_place_that_cannot_be_is_told_before_anything_is_loaded(run, tmp_path, one_sentence):
    done = run("capture", "no-such", "--text", "x", "-o", str(tmp_path / "none" / "cap.safetensors"))
    assert "there is no folder " in one_sentence(done)
    assert "is a folder; expected the path of a file" in one_sentence(
        run("capture", "no-such", "--text", "x", "-o", str(tmp_path))
    )


@pytest.mark.parametrize("words", [[], ["--text", "x", "--file", "y"]])
def test_a_text_or_a_file_not_neither_and_not_both(run, words):
    done = run("capture", "no-such", *words, "-o", "cap")
    assert done.exit_code == 2
    assert "either --text or --file" in done.stderr


def test_without_torch_it_says_what_to_install(tmp_path):
    program = (
        "import sys; sys.modules['torch'] = None\n"
        "sys.argv = ['clearhead', 'capture', 'gpt2', '--text', 'x', '-o', 'cap.safetensors']\n"
        "from clearhead.surfaces.cli.app import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(
        f"clearhead: loading a model needs torch, and it is not installed; expected `{install('models')}` before"
    )


def test_layers_that_do_not_agree_are_named(run, saved_capture, hand_captures):
    from clearhead.surfaces.cli.captured_lines import agreement_lines

    lines = [line.plain for line in agreement_lines(ch.load_capture(saved_capture), lambda done, of: None)]
    assert len(lines) == 5  # its outputs are random numbers
    assert "DOES NOT AGREE: these numbers are not the model's" in lines[0]
    assert lines[-1] == "Agreement: 4 of 4 layers do not agree with the model"
