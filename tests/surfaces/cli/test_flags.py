"""Messages call an argument what the person can type: an option of the command, in Python an argument."""

import json
import re
from pathlib import Path

import pytest

import clearhead as ch
from clearhead.trace.capture import arguments

pytestmark = pytest.mark.filterwarnings("ignore:::torch", "ignore:::transformers")

TEXT = "the man said he was late"
IN_PYTHON = re.compile(r"\b[a-z_]+=")


def last_line(done):
    """The sentence that a command ended with, after what it said of how far it was."""
    assert done.exit_code == 1, done.stderr
    assert done.stderr.splitlines()[-1].startswith("clearhead: ")
    return done.stderr.splitlines()[-1]


@pytest.fixture
def no_memory(monkeypatch):
    from clearhead.sources.models import foreseen

    monkeypatch.setattr(foreseen, "free_memory", lambda device: 1)


def test_force_is_what_can_be_given(run, transformer, tmp_path, no_memory):
    out = str(tmp_path / "cap.safetensors")
    said = last_line(run("capture", transformer, "--text", TEXT, "-o", out))
    assert "expected a shorter text, fewer sequences or --force to try it all the same" in said
    done = run("model", transformer, "--text", TEXT, "--no-browser")  # has no such option
    assert last_line(done).endswith("expected a shorter text or fewer sequences")
    with pytest.raises(ch.CaptureError, match="fewer sequences or force=True to try it all the same"):
        ch.capture(ch.load_model(transformer), TEXT)
    assert run("capture", transformer, "--text", TEXT, "-o", out, "--force").exit_code == 0


def test_code_of_its_own_is_allowed_by_the_option(run, tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "config.json").write_text(
        json.dumps({"model_type": "mine", "auto_map": {"AutoModel": "own.Mine"}})
    )
    out = str(tmp_path / "out.safetensors")
    for given in (("capture", str(folder), "--text", "x", "-o", out), ("model", str(folder), "--text", "x")):
        assert "expected --remote-code, if you trust it" in last_line(run(*given))


def test_no_message_of_the_command_names_an_argument_of_python(run, small_models, tmp_path):
    transformers = pytest.importorskip("transformers")
    place, out = tmp_path / "bert", str(tmp_path / "out.safetensors")
    sizes = {"hidden_size": 10, "num_attention_heads": 2, "num_hidden_layers": 1, "intermediate_size": 7}
    config = transformers.BertConfig(vocab_size=small_models.words(), **sizes)
    transformers.BertModel(config).save_pretrained(place)
    small_models.tokenizer().save_pretrained(place)
    said = last_line(run("capture", str(place), "--text", "the", "--generate", "3", "-o", out))
    assert said.endswith("or no --generate")
    assert not IN_PYTHON.search(said)


def test_every_way_of_calling():
    assert arguments.argument("force", True) == "force=True"
    assert arguments.without("store", "overview") == "no store= and no overview="
    only_force = lambda name, value: "--force" if name == "force" else None  # noqa: E731
    with arguments.called_by(only_force):
        assert arguments.argument("force", True) == "--force"
        assert arguments.argument("images") is None
        assert arguments.without("store", "overview") is None
        assert arguments.without("store", "force") == "no --force"
        assert arguments.either("a text", "ids", arguments.argument("images")) == "a text or ids"
    assert arguments.argument("images") == "images="


def test_sentences_that_can_reach_a_command_leave_the_naming_of_arguments_to_one_place():
    """Those that are left are about arguments that only Python has, which must have been given to be refused."""
    only_in_python = ("inputs", "processor", "tokens", "below", "query")
    sources = Path(ch.__file__).parent
    for path in (*sources.glob("sources/models/*.py"), *sources.glob("trace/capture/*.py")):
        for sentence in re.findall(r'expected [^"\n]*', path.read_text("utf-8")):
            named = [
                name for name in re.findall(r"\b([a-z_]+)=(?!=)", sentence) if name not in only_in_python
            ]
            assert not named, (path.name, sentence)
