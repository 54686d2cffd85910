"""`clearhead compare`: two models side by side, by name or as files."""

import json

import pytest

import clearhead as ch

SENTENCE = "the woman calls bread"
TEXT = "the man said he was late"

pytestmark = pytest.mark.filterwarnings("ignore:::torch", "ignore:::transformers")


@pytest.fixture
def files(tmp_path):
    """Captures of the study model, of the second with a weight set by hand."""
    paths = [str(tmp_path / name) for name in ("a.safetensors", "b.safetensors")]
    for path, changes in zip(paths, ((), "L1H2.weights[3,1] = 0.5"), strict=True):
        ch.capture("study", SENTENCE, changes=changes).save(path)
    return paths


def test_two_captures(run, files):
    done = run("compare", *files)
    assert done.exit_code == 1, done.stderr
    assert done.stdout == f"{ch.compare(*files)}\n"
    assert done.stdout.startswith("part at layer L1, head 2, weights, query 3 “calls”: off by ")


def test_a_capture_and_a_model(run, files):
    done = run("compare", files[0], "study", SENTENCE)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines()[0] == "agree: in all 2 layers no number differs at all"


def test_two_formats_of_one_model(run, transformer):
    done = run("compare", transformer, transformer, TEXT, "--dtype-b", "bfloat16")
    assert done.exit_code == 0, done.stderr
    assert "float32 on sdpa" in done.stdout
    assert "bfloat16 on sdpa" in done.stdout
    strict = run("compare", transformer, transformer, TEXT, "--dtype-b", "bfloat16", "--tolerance", "1e-6")
    assert strict.exit_code == 1
    assert strict.stdout.startswith("part at layer L0, hidden, position 0 “the”: off by ")


def test_as_data(run, files):
    done = run("compare", *files, "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout) == json.loads(ch.compare(*files).to_json())


def test_a_text_in_a_file(run, files, tmp_path):
    (tmp_path / "text.txt").write_text(SENTENCE, "utf-8")
    assert run("compare", "study", files[0], "--file", str(tmp_path / "text.txt")).exit_code == 0


def test_what_is_missing_is_said(run, files, one_sentence):
    said = one_sentence(run("compare", files[0], "study"))
    assert said == "clearhead: study: is a model, not a capture; expected the text that it is to read\n"
    said = one_sentence(run("compare", files[0], "study", "the woman calls milk"))
    assert said.startswith("clearhead: tokens: the first that differs is token 4, “bread”")


@pytest.mark.parametrize(
    ("more", "says"),
    [((SENTENCE,), "TEXT"), (("--dtype-b", "bfloat16"), "--dtype-b"), (("--dtype", "x"), "--dtype")],
)
def test_what_would_do_nothing_is_refused(run, files, more, says):
    done = run("compare", *files, *more)
    assert done.exit_code == 2
    assert says in done.stderr
    assert "would do nothing" in done.stderr
