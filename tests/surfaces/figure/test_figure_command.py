"""`clearhead figure`: what it opens, what it refuses, what it leaves behind."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

import clearhead as ch
from clearhead.sources.worked.study.capture import capture_study
from clearhead.surfaces.cli.app import app
from clearhead.surfaces.cli.figure import ENDINGS, THEMES
from clearhead.surfaces.figure.look import WIDTHS
from clearhead.surfaces.figure.saving import FORMS
from clearhead.surfaces.figure.themes import THEMES as COLOURS
from clearhead.trace.installing import install


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The command in a folder with everything that can be drawn."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, ["figure", *arguments])


def text_of(path):
    return path.read_text("utf-8")


def test_an_example_with_its_switches(run, tmp_path, as_svg):
    done = run(
        "three-words",
        "--kind",
        "weights",
        "--mask",
        "causal",
        "-o",
        "fig.svg",
        "--head",
        "0",
        "--digits",
        "3",
    )
    assert (done.exit_code, done.stdout) == (0, "Drawn in fig.svg\n")
    wanted = as_svg(ch.run("three-words", mask="causal").figure("weights", head=0, digits=3))
    assert text_of(tmp_path / "fig.svg") == wanted.raw


@pytest.mark.parametrize(
    "kind",
    ["weights", "Q,K,V", "dW_Q", "W_Q,dW_Q,W_Q_next", "weights[0,1,2]", "dE[1,0]", "lines", "heads", "loss"],
)
def test_every_kind_of_an_example(run, tmp_path, kind):
    done = run("three-words", "--kind", kind, "-o", "fig.pdf")
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "fig.pdf").read_bytes().startswith(b"%PDF")


def test_without_a_name_the_file_is_called_after_what_is_drawn(run, tmp_path):
    (tmp_path / "mine").mkdir()
    ch.train("tea-is-hot", steps=1).save(tmp_path / "mine" / "run")
    for arguments, name in {
        ("three-words",): "three-words-figure.svg",
        ("three-words", "--kind", "weights[0,1,2]"): "three-words-weights-0-1-2.svg",
        ("mine/run",): "run-figure.svg",
    }.items():
        done = run(*arguments)
        assert (done.exit_code, done.stdout) == (0, f"Drawn in {name}\n")
        assert (tmp_path / name).stat().st_size > 1000


def test_a_kind_that_stands_alone_is_told_where_it_belongs(run, tmp_path):
    done = run("three-words", "Q,K,V", "weights[0, 1, 2]")
    assert done.exit_code == 2
    said = " ".join(done.stderr.replace("│", " ").split())
    assert (
        "expected a kind after --kind: clearhead figure three-words --kind 'Q,K,V weights[0, 1, 2]'" in said
    )
    assert not list(tmp_path.iterdir())


def test_what_was_saved(run, tmp_path, as_svg):
    trace = ch.run("three-words", mask="causal")
    trace.save("trace")
    cap = capture_study("the woman calls bread")
    cap.save("cap.safetensors")
    training = ch.train("tea-is-hot", steps=3, optimiser="sgd", learning_rate=0.5)
    training.save("run")
    asked = {
        ("trace",): trace.figure(),
        ("trace", "--kind", "lines", "--theme", "grey"): trace.figure("lines", theme="grey"),
        ("cap.safetensors", "--width", "page"): ch.figure(cap, width="page"),
        ("cap.safetensors", "--kind", "weights", "--layer", "1", "--head", "2"): ch.figure(
            cap, "weights", layer=1, head=2
        ),
        ("cap.safetensors", "--score", "previous"): ch.figure(cap, score="previous"),
        ("run", "--width", "4.5"): ch.figure(training, width=4.5),
        ("run", "--kind", "weights", "--step", "3"): ch.figure(training, "weights", step=3),
    }
    for arguments, wanted in asked.items():
        done = run(*arguments, "-o", "fig.svg")
        assert done.exit_code == 0, done.stderr
        assert text_of(tmp_path / "fig.svg") == as_svg(wanted).raw


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["three-words", "-o", "fig.jpg"], "fig.jpg: expected a name that ends in .svg, .pdf or .png"),
        (["three-words", "-o", "fig"], "fig: expected a name that ends in"),
        (
            ["three-words", "-o", "missing/fig.svg"],
            "missing/fig.svg: there is no folder 'missing' to write it into",
        ),
        (["three-words", "-o", "folder.svg"], "folder.svg: "),
        (["three-words", "--kind", "nothing", "-o", "fig.svg"], "no quantity named 'nothing'"),
        (["three-words", "--head", "3", "-o", "fig.svg"], "head goes from 0 to 0, got 3"),
        (["three-words", "--width", "wide", "-o", "fig.svg"], "width: expected 'column', 'page' or inches"),
        (["three-words", "--score", "induction", "-o", "fig.svg"], "score: does nothing"),
        (["none-such", "-o", "fig.svg"], "no example is named 'none-such'"),
        (
            ["none.safetensors", "-o", "fig.svg"],
            "none.safetensors: there is no such file or folder; expected ",
        ),
        (["broken", "-o", "fig.svg"], "broken: is none of what can be opened here; expected an example"),
        (["trace", "--mask", "causal", "-o", "fig.svg"], "--mask: cannot change what was saved"),
        (["study", "--kind", "weights", "-o", "fig.svg"], "did you mean layer1.weights or layer0.weights?"),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(run, tmp_path, arguments, said):
    (tmp_path / "folder.svg").mkdir()
    (tmp_path / "broken").write_text("no trace")
    ch.run("three-words").save(tmp_path / "trace")
    before = sorted(path.name for path in tmp_path.iterdir())
    done = run(*arguments)
    assert done.exit_code == 1
    assert done.stderr.startswith("clearhead: ")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_without_matplotlib_it_says_what_to_install(tmp_path):
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "sys.argv = ['clearhead', 'figure', 'three-words', '-o', 'f.svg']\n"
        "from clearhead.surfaces.cli.app import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 1
    assert done.stderr.startswith("clearhead: figures need Matplotlib")
    assert f"expected `{install('figures')}` before" in done.stderr
    assert not list(tmp_path.iterdir())


def test_the_command_knows_what_the_figures_know():
    assert ENDINGS == FORMS
    assert set(THEMES) == set(COLOURS)
    assert set(WIDTHS) == {"column", "page"}
