"""`clearhead model` with a long text, and with a saved capture."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import clearhead as ch
from clearhead.surfaces import server

ADDRESS = "http://127.0.0.1:1234/"
PATIENCE = 120
"""Seconds after which a reading that is not done has failed; no test is about how long anything takes."""

TEXT = "the man said he was late and then left " * 61

pytestmark = pytest.mark.filterwarnings("ignore:::torch", "ignore:::transformers")


@pytest.fixture
def served(monkeypatch):
    """What the command would have served; it ends when its line below the address has said what came of the reading."""
    calls = {}

    def serve(session, *, port, ready):
        calls.update(session=session)
        ready(ADDRESS)
        for thread in threading.enumerate():
            if thread.name == "clearhead-line":
                thread.join(PATIENCE)
        calls["answers"] = [session.ask({"ask": "models"}).data]
        calls["answers"].append(session.ask({"ask": "model", "state": {"model": named(calls)}}).data)

    monkeypatch.setattr(server, "serve", serve)
    return calls


def named(calls):
    """The model that is not the study model, or that one."""
    return calls["answers"][0]["models"][-1]["name"]


@pytest.fixture(scope="module")
def patient(tmp_path_factory):
    """The folder of a tiny model that has positions for a long text."""
    transformers, tokenizers = pytest.importorskip("transformers"), pytest.importorskip("tokenizers")
    torch = pytest.importorskip("torch")
    folder = str(tmp_path_factory.mktemp("models") / "patient")
    known = ["[UNK]", *dict.fromkeys(TEXT.split())]
    core = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: at for at, word in enumerate(known)}, "[UNK]")
    )
    core.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(tokenizer_object=core, unk_token="[UNK]").save_pretrained(folder)
    torch.manual_seed(3)
    sizes = {
        "n_embd": 21,
        "n_head": 3,
        "n_layer": 2,
        "n_positions": 557,
        "bos_token_id": 0,
        "eos_token_id": 0,
    }
    transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=len(known), **sizes)).save_pretrained(
        folder
    )
    return folder


@pytest.fixture
def text_file(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT, "utf-8")
    return str(path)


def test_a_long_file_is_read_while_the_page_is_open(run, served, patient, text_file):
    done = run("model", patient, "--file", text_file, "--no-browser")
    assert done.exit_code == 0, done.stderr
    assert (
        f"Clearhead is at {ADDRESS}#model=patient (Ctrl-C stops it)\n" in done.stdout
    )  # the text is not in it
    assert "6 heads on 549 tokens were there after " in done.stderr
    models, model = served["answers"]
    assert models["models"][-1]["text"] == TEXT
    assert (model["kind"], model["long"], model["text"]) == ("model", True, TEXT)


@pytest.mark.skipif(os.name != "posix", reason="a process is told to end by a signal")
@pytest.mark.parametrize("ends", ["SIGTERM", "SIGINT"])
def test_nothing_is_left_behind_when_it_is_told_to_end(patient, text_file, tmp_path, ends):
    """Its folder of the while lies where TMPDIR says; the line below the address says that the heads are there."""
    command = [sys.executable, "-m", "clearhead", "model", patient, "--file", text_file, "--no-browser"]
    environment = {**os.environ, "TMPDIR": str(tmp_path / "while"), "PYTHONUNBUFFERED": "1"}
    (tmp_path / "while").mkdir()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as one:
        assert one.stdout is not None
        assert one.stderr is not None
        assert "Clearhead is at http://127.0.0.1:" in one.stdout.readline()
        assert any("6 heads on 549 tokens were there after" in line for line in one.stderr)
        assert list((tmp_path / "while").iterdir()) != []
        one.send_signal(getattr(signal, ends))
        one.wait(PATIENCE)
    assert list((tmp_path / "while").iterdir()) == []


def test_a_store_stays_and_opens_again_without_the_model(
    run, served, patient, text_file, tmp_path, monkeypatch
):
    store = str(tmp_path / "kept")
    first = run("model", patient, "--file", text_file, "--store", store, "--no-browser")
    assert first.exit_code == 0, first.stderr
    kept = {path.name: path.read_bytes() for path in Path(store).iterdir()}
    assert ch.load_capture(store).heads == 3
    monkeypatch.setattr(
        "clearhead.sources.models.capture.run", None
    )  # it is finished: the model does not run
    again = run("model", patient, "--file", text_file, "--store", store, "--no-browser")
    assert again.exit_code == 0, again.stderr
    assert {path.name: path.read_bytes() for path in Path(store).iterdir()} == kept
    assert "clearhead: " not in again.stderr
    assert len(served["answers"][1]["statistics"]) == 6
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    saved = run("model", store, "--no-browser")
    assert saved.exit_code == 0, saved.stderr
    assert f"{ADDRESS}#model=kept " in saved.stdout
    models, model = served["answers"]
    assert models["models"][-1]["fixed"]
    assert (model["fixed"], model["long"], len(model["statistics"])) == (True, True, 6)


def test_a_short_file_is_read_before_the_page_opens(run, served, transformer, tmp_path):
    path = tmp_path / "short.txt"
    path.write_text("the man said he was late", "utf-8-sig")
    done = run("model", transformer, "--file", str(path), "--store", str(tmp_path / "kept"), "--no-browser")
    assert done.exit_code == 0, done.stderr
    assert served["answers"][1]["text"] == "the man said he was late"
    assert not served["answers"][1]["long"]
    assert (tmp_path / "kept" / "capture.safetensors").exists()


def test_a_file_of_a_capture_opens_without_a_model(run, served, saved_capture):
    done = run("model", saved_capture, "--no-browser")
    assert done.exit_code == 0, done.stderr
    assert f"{ADDRESS}#model=cap.safetensors " in done.stdout
    assert served["answers"][1]["sequences"] == 2
    assert "reading the text" not in done.stderr


def test_what_goes_wrong_below_the_address_is_one_sentence(run, served, transformer, text_file):
    done = run("model", transformer, "--file", text_file, "--no-browser")
    assert done.exit_code == 0  # the page is open, and can be given another text
    assert "clearhead: text: " in done.stderr
    assert "Traceback" not in done.stderr
    assert served["answers"][1]["kind"] in ("error", "working")  # it is begun anew when it is asked for again


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--text", "the"],
            "--text is for a model that reads a text; CAP is a saved capture of one that did",
        ),
        (["--file", "TEXT"], "--file is for a model that reads a text"),
        (["--store", "kept"], "--store is for a model that reads a text"),
        (["--generate", "3"], "--generate is for a model that reads a text"),
        (["--dtype", "float32"], "--dtype is for a model that reads a text"),
    ],
)
def test_a_saved_capture_takes_nothing_more(run, served, saved_capture, text_file, arguments, sentence):
    given = [text_file if one == "TEXT" else one for one in arguments]
    done = run("model", saved_capture, *given, "--no-browser")
    assert done.exit_code == 1
    assert f"clearhead: {sentence.replace('CAP', saved_capture)}" in done.stderr
    assert served == {}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(None, "cannot be read"), (b"\xff\xfe\x00", "is not text in UTF-8"), (b" \n", "is empty")],
)
def test_a_file_that_is_no_text_is_said_before_the_page_opens(
    run, served, transformer, tmp_path, content, sentence
):
    path = tmp_path / "wrong.txt"
    if content is not None:
        path.write_bytes(content)
    done = run("model", transformer, "--file", str(path), "--no-browser")
    assert done.exit_code == 1
    assert sentence in done.stderr
    assert served == {}


def test_a_text_is_given_once(run, served, transformer, text_file):
    assert run("model", transformer, "--text", "the", "--file", text_file).exit_code == 2
    done = run("model", "--store", "kept", "--no-browser")
    assert "clearhead: --store is for a model that is loaded; expected its NAME before it" in done.stderr
