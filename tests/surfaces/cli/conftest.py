"""The command, run in this process (`run`) or in one of its own (`command`)."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from clearhead.sources.worked.config import Config
from clearhead.surfaces.cli.app import app

Run = Callable[..., Any]

SPOKEN = "the man said he was late and then left"

SENTENCE = ["the", "cat", "saw", "a", "dog"]
CORPUS = "the cat saw a dog\n\na dog saw the cat\nthe dog ran\n"

SWITCHES = ("heads", "mask", "positions", "norm", "norm_place", "activation")

COLOUR_VARIABLES = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "COLORFGBG", "TERM", "COLORTERM")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command here, as if piped: `run("walk", "--json", COLUMNS="80")` gives exit_code, stdout and stderr."""
    for name in COLOUR_VARIABLES:
        monkeypatch.delenv(name, raising=False)

    def run_with(*arguments: str, **environment: str) -> Any:
        return CliRunner().invoke(app, list(arguments), env=environment)

    return run_with


@pytest.fixture
def command() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command in a process of its own."""

    def run_command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if name not in COLOUR_VARIABLES}
        return subprocess.run(
            [sys.executable, "-m", "clearhead", *arguments],
            env={**clean, "PYTHONIOENCODING": "utf-8", **environment},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    return run_command


@pytest.fixture
def model_file(tmp_path: Path) -> Callable[..., str]:
    """A model that has learned nothing yet in a .toml file, numbers rounded: `model_file(config, tokens, words)`."""

    def write(config: Config, tokens: Sequence[str], words: Sequence[str]) -> str:
        example = config.begin(words, tokens)
        lines = [f"tokens = {list(tokens)}", "scale_embeddings = false"]
        lines += [f"{name} = {getattr(example, name)!r}" for name in SWITCHES]
        given = {name: value for name, value in example.parameters.items() if "." not in name and name != "E"}
        lines += [_entry(name, value) for name, value in given.items()]
        for layer in example.layers:
            lines += ["[[layer]]", *(_entry(name, value) for name, value in layer.items())]
        lines += ["[E]", *(_entry(word, row) for word, row in example.E.items())]
        path = tmp_path / "model.toml"
        path.write_text("\n".join(lines), "utf-8")
        return str(path)

    return write


def _entry(name: str, values: np.ndarray) -> str:
    return f"{name} = {np.round(values, 3).tolist()}"


@pytest.fixture
def model(model_file: Callable[..., str]) -> str:
    """A model to be trained, on the sentence "the cat saw a dog"."""
    return model_file(Config(d_model=6, heads=3, d_ff=7), SENTENCE, [*SENTENCE, "ran"])


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    """Three sentences and an empty line for it."""
    path = tmp_path / "corpus.txt"
    path.write_text(CORPUS, "utf-8")
    return str(path)


@pytest.fixture
def one_sentence() -> Callable[..., str]:
    """What a command said that ended with an exit code that is not 0: one sentence and no more."""

    def said(done: Any, code: int = 1) -> str:
        assert done.exit_code == code, done.stderr
        assert done.stderr.startswith("clearhead: ")
        assert done.stderr.count("\n") == 1
        return str(done.stderr)

    return said


@pytest.fixture(scope="session")
def transformer(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a tiny GPT-2 with random weights and a tokenizer that knows some words."""
    transformers, tokenizers = pytest.importorskip("transformers"), pytest.importorskip("tokenizers")
    torch = pytest.importorskip("torch")
    folder = str(tmp_path_factory.mktemp("models") / "tiny")
    known = ["[UNK]", *SPOKEN.split()]
    words = {word: number for number, word in enumerate(known)}
    core = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    core.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(tokenizer_object=core, unk_token="[UNK]").save_pretrained(folder)
    torch.manual_seed(3)
    sizes = {"n_embd": 21, "n_head": 3, "n_layer": 2, "n_positions": 29, "bos_token_id": 0, "eos_token_id": 0}
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=len(known), **sizes))
    model.save_pretrained(folder)
    return folder


@pytest.fixture
def saved_capture(tmp_path: Path, hand_captures: Any) -> str:
    """The file of a capture of random numbers: 4 layers of 5 heads, 7 tokens, 2 sequences."""
    path = str(tmp_path / "cap.safetensors")
    hand_captures.random_capture().save(path)
    return path
