"""`clearhead model`: what is opened, and what is said when it cannot be."""

import pytest

from clearhead.surfaces import server

ADDRESS = "http://127.0.0.1:1234/"
TEXT = "the man said he was late"

pytestmark = pytest.mark.filterwarnings("ignore:::torch", "ignore:::transformers")


@pytest.fixture
def served(monkeypatch):
    """What the command would have served."""
    calls = {}

    def serve(session, *, port, ready):
        calls.update(session=session, port=port)
        ready(ADDRESS)

    monkeypatch.setattr(server, "serve", serve)
    return calls


def opened(done):
    assert done.exit_code == 0, done.stderr
    return done.stdout.removeprefix(f"Clearhead is at {ADDRESS}").removesuffix(" (Ctrl-C stops it)\n")


def test_without_a_name_it_is_the_study_model(run, served):
    assert opened(run("model", "--no-browser", "--port", "9")) == "#model=study"
    assert served["port"] == 9
    models = served["session"].ask({"ask": "models"}).data["models"]
    assert [model["name"] for model in models] == ["study"]


def test_the_study_model_reads_a_text_and_goes_on(run, served):
    done = run("model", "study", "--text", "the man saw", "--generate", "3", "--no-browser")
    assert opened(done) == "#model=study&text=the%20man%20saw&generate=3"
    assert served["session"].ask({"ask": "models"}).data["models"][0]["text"] == "the man saw"


def test_a_folder_is_offered_under_its_last_name(run, served, transformer):
    done = run("model", transformer, "--text", TEXT, "--dtype", "float64", "--no-browser")
    assert opened(done) == "#model=tiny&text=the%20man%20said%20he%20was%20late"
    assert "reading the text" in done.stderr
    session = served["session"]
    assert [model["name"] for model in session.ask({"ask": "models"}).data["models"]] == ["study", "tiny"]
    data = session.ask({"ask": "model", "state": {"model": "tiny"}}).data
    assert (data["text"], data["about"].split(" (")[0]) == (TEXT, "GPT2LMHeadModel, float64 on cpu")
    assert session.ask({"ask": "model", "state": {"model": transformer}}).data["kind"] == "error"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--text", "hello"], "text: the study model does not know the word 'hello'"),
        (["--dtype", "float32"], "--dtype is for a model that is loaded; expected its NAME before it"),
        (["study", "--remote-code"], "--remote-code is for a model that is loaded"),
        (["--decoder", "the"], "--decoder: study has no decoder that reads a text of its own"),
        (["missing.gguf"], "missing.gguf: there is no such file"),
        (["model.bin"], "model.bin: a .bin file is a pickle"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_nothing_is_served(run, served, arguments, sentence):
    done = run("model", *arguments, "--no-browser")
    assert done.exit_code == 1
    assert done.stdout == ""
    assert f"clearhead: {sentence}" in done.stderr
    assert "Traceback" not in done.stderr
    assert served == {}


def test_a_text_that_the_model_cannot_take_is_said_before_the_page_opens(run, served, transformer):
    done = run("model", transformer, "--text", "the man " * 23, "--no-browser")
    assert done.exit_code == 1
    assert "clearhead: text: " in done.stderr
    assert served == {}


def test_a_number_of_tokens_below_nothing_is_a_usage_error(run, served):
    assert run("model", "--generate", "-1").exit_code == 2


def test_without_pytorch_it_says_what_to_install(run, served, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    done = run("model", "org/name", "--no-browser")
    assert done.exit_code == 1
    assert "pip install" in done.stderr
