"""The command as a whole: version, help, examples, pipes, encodings, and what it imports."""

import json
import os
import subprocess
import sys

import pytest

import clearhead as ch
from clearhead.surfaces import server


def test_version(run):
    assert run("--version").stdout == f"clearhead {ch.__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["-h"], ["walk", "--help"], ["why", "-h"], ["train", "--help"], ["serve", "--help"]],
)
def test_help(run, arguments):
    done = run(*arguments)
    assert done.exit_code == 0
    assert "Usage: " in done.stdout


def test_examples_are_listed_with_their_sentence(run):
    text = run("examples").stdout
    for name in ch.examples():
        assert f"{name}\n  0 {ch.load(name).tokens[0]}  1 " in text
        assert ch.load(name).look_for in text


def test_examples_as_json(run):
    data = json.loads(run("examples", "--json").stdout)
    assert [entry["name"] for entry in data] == [*ch.examples(), "study"]
    assert data[0] == {
        "name": ch.examples()[0],
        "title": ch.load(ch.examples()[0]).title,
        "look_for": ch.load(ch.examples()[0]).look_for,
        "tokens": list(ch.load(ch.examples()[0]).tokens),
    }


@pytest.mark.parametrize(
    "arguments",
    [["examples"], ["walk"], ["walk", "--json"], ["why", "two-heads", "scores[0,0,0]"]],
)
def test_output_of_a_process_of_its_own_is_what_is_written_here(run, command, arguments):
    done = command(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run(*arguments).stdout


def test_bad_input_in_a_process_of_its_own(command):
    done = command("walk", "no-such-example")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [["walk"], ["walk", "--json"], ["examples"]])
def test_a_reader_that_leaves_early_is_no_mistake(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "clearhead", *arguments],
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_ascii_gets_readable_stand_ins(command):
    done = command("walk", "--mask", "causal", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "/-inf" in done.stdout
    for question in (
        "match what another one offers?",
        "for?",
        "add?",
        "how wrong was that?",
        "grows a little?",
    ):
        assert question in done.stdout
    assert done.stdout.count("?") == 5


@pytest.mark.parametrize("arguments", [["--help"], ["walk", "--json"], ["why", "two-heads", "scores[0,0,0]"]])
def test_only_serving_imports_a_server(arguments):
    program = (
        "import sys\nfrom clearhead.surfaces.cli.app import app\n"
        f"try:\n    app({arguments!r})\nexcept SystemExit:\n    pass\n"
        "heavy = {'starlette', 'uvicorn', 'websockets', 'torch', 'matplotlib'}\n"
        "print(*sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert done.stderr == "\n"


def test_only_training_imports_the_loop():
    program = (
        "import sys\nfrom clearhead.surfaces.cli.app import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'clearhead.sources.worked.training.loop', 'clearhead.trace.recording', 'rich.progress'}\n"
        "print(*sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert done.stderr == "\n"


@pytest.fixture
def served(monkeypatch):
    """What the command would have served, and the addresses it would have opened."""
    calls, opened = {}, []

    def serve(session, *, port, ready):
        calls.update(session=session, port=port)
        assert opened == []  # nothing is opened before the server listens
        ready("http://127.0.0.1:1234/")

    class AtOnce:
        def __init__(self, target, args, daemon):
            self.start = lambda: target(*args)

    monkeypatch.setattr(server, "serve", serve)
    monkeypatch.setattr("clearhead.surfaces.cli.serve.webbrowser.open", opened.append)
    monkeypatch.setattr("clearhead.surfaces.cli.serve.threading.Thread", AtOnce)
    return calls, opened


@pytest.mark.parametrize("arguments", [[], ["serve"]])
def test_the_browser_is_opened_at_the_address_that_is_printed(run, served, arguments):
    done = run(*arguments)
    assert done.exit_code == 0
    assert served[1] == ["http://127.0.0.1:1234/"]
    assert "Clearhead is at http://127.0.0.1:1234/ (Ctrl-C stops it)\n" in done.stdout
    assert served[0]["port"] is None


@pytest.mark.parametrize("arguments", [["--no-browser"], ["serve", "--no-browser"]])
def test_no_browser_only_prints(run, served, arguments):
    done = run(*arguments, "--port", "9")
    assert done.exit_code == 0
    assert served[1] == []
    assert "http://127.0.0.1:1234/" in done.stdout
    assert served[0]["port"] == 9


def test_an_example_is_opened_by_its_name(run, served):
    run("serve", "two-heads")
    assert served[1] == ["http://127.0.0.1:1234/#example=two-heads"]


def test_a_file_is_offered_under_its_name_and_opened(run, served, tmp_path):
    path = tmp_path / "my own & only.toml"
    path.write_text(
        'title = "t"\nlook_for = "l"\ntokens = ["a"]\nW_Q = [[1]]\nW_K = [[1]]\nW_V = [[1]]\nE = {a = [1]}\n',
        "utf-8",
    )
    run("serve", str(path))
    assert served[1] == ["http://127.0.0.1:1234/#example=my%20own%20%26%20only"]
    session = served[0]["session"]
    names = [entry["name"] for entry in session.ask({"ask": "examples"}).data["examples"]]
    assert names == ["my own & only", *ch.examples(), "study"]


def test_a_file_called_like_a_shipped_example_hides_nothing(run, served, tmp_path):
    path = tmp_path / "two-heads.toml"
    path.write_text('tokens = ["a"]\nW_Q = [[1]]\nW_K = [[1]]\nW_V = [[1]]\nE = {a = [1]}\n', "utf-8")
    run("serve", str(path))
    assert served[1] == ["http://127.0.0.1:1234/#example=two-heads.toml"]
