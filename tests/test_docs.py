"""The documentation's examples, run as they stand: `>>>` lines by doctest, `$ clearhead` lines by the real command."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import clearhead as ch
from clearhead.sources.worked.study.capture import capture_study

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\S*)\n(.*?)^```", re.MULTILINE | re.DOTALL)

NOT_RUN = {
    ("README.md", "$ ./start"),  # opens a browser
    ("README.md", "$ ./check"),  # runs these tests
    ("figures.md", '$ pip install "clearhead[figures]"'),
    ("notebook.md", '$ pip install "clearhead[notebook]"'),
    ("long.md", "import clearhead as ch"),  # a text of 20,000 tokens
    ("long.md", "$ clearhead capture gpt2 --file book.txt --overview -o book"),  # a model of the hub
    ("study.md", "python scripts/train_study.py"),  # minutes
}
"""Blocks that no test runs, by their first line."""

RAGGED = "tokens = ['a']\nW_Q = [[1, 2], [3]]\nW_K = [[1, 2]]\nW_V = [[1, 2]]\n[E]\na = [1]\n"
"""The file that docs/examples.md shows a mistake in."""

SENTENCE = "the woman calls bread milk honey ! bread milk"
"""What the study model reads in the capture that docs/capture.md looks at."""

CORPUS = {
    "market.txt": "the woman calls bread milk honey ! bread milk\n" * 3,
    "street.txt": "the king met the boy .\nthe boy heard that the queen works .\n" * 7,
}
"""The files that docs/corpus.md runs the study model over."""


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the files hold that examples name, worked out once."""
    folder = tmp_path_factory.mktemp("corpus")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, text in CORPUS.items():
            Path(name).write_text(text)
        ch.corpus_statistics("study", list(CORPUS), "table.parquet")
    (folder / "ragged.toml").write_text(RAGGED)
    capture_study(SENTENCE).save(folder / "cap.safetensors")
    (folder / "corpus.txt").write_text(CORPUS["street.txt"])
    named = [*CORPUS, "table.parquet", "ragged.toml", "cap.safetensors", "corpus.txt"]
    return {name: (folder / name).read_bytes() for name in named}


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes]) -> Path:
    """A folder of its own, with the files that examples name."""
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def python_pages() -> list[Path]:
    return [page for page in PAGES if re.search("^>>> ", page.read_text("utf-8"), re.MULTILINE)]


@pytest.mark.parametrize("page", python_pages(), ids=lambda page: page.name)
def test_python_examples(page: Path, workplace: Path) -> None:
    result = doctest.testfile(
        str(page), module_relative=False, encoding="utf-8", optionflags=doctest.ELLIPSIS
    )
    assert result.attempted > 0
    assert result.failed == 0
    for image in images(page):
        if (workplace / image.name).exists():
            assert_same_drawing(image.read_text("utf-8"), (workplace / image.name).read_text("utf-8"))
        else:
            assert page.parent.name != "tutorial", f"no code on this page draws {image.name}"


def images(page: Path) -> list[Path]:
    """The drawings that a page shows."""
    shown = re.findall(r"^!\[[^\]]+\]\(([^)]+\.svg)\)", page.read_text("utf-8"), re.MULTILINE)
    return [(page.parent / path).resolve() for path in shown]


def assert_same_drawing(kept: str, drawn: str) -> None:
    """Two SVGs are alike: the same text and the same shapes, to a hundredth of a point.

    Fonts are left out: how they are packed is another program's.
    """
    number = re.compile(r"-?\d+\.\d+")
    apart = [re.sub(r"base64,[^)]*", "", svg) for svg in (kept, drawn)]
    assert number.sub("", apart[0]) == number.sub("", apart[1])
    places = [list(map(float, number.findall(svg))) for svg in apart]
    assert places[0] == pytest.approx(places[1], abs=0.01)


def test_drawings_that_differ_are_told_apart() -> None:
    kept = '<text x="10.25">weights</text>'
    assert_same_drawing(kept, kept.replace("10.25", "10.255"))
    for other in (kept.replace("10.25", "10.5"), kept.replace("weights", "scores")):
        with pytest.raises(AssertionError):
            assert_same_drawing(kept, other)


def blocks() -> list[tuple[Path, str, str]]:
    """(page, language, text) of every block of code; what is the site's own, such as {toctree}, is none."""
    return [
        (page, language, text)
        for page in PAGES
        for language, text in BLOCK.findall(page.read_text("utf-8"))
        if not language.startswith("{")
    ]


def test_every_block_is_run() -> None:
    """Doctest runs what has `>>>`, others below run commands, files and the rest; what is not run is listed."""
    left = {
        (page.name, text.partition("\n")[0]) for page, language, text in blocks() if not runs(language, text)
    }
    alone = {(page.name, text.partition("\n")[0]) for page, _, text in plain_python()}
    assert left - alone == NOT_RUN


def runs(language: str, text: str) -> bool:
    if language == "console":
        return "gpt2" not in text and re.search(r"^\$ clearhead ", text, re.MULTILINE) is not None
    return language == "toml" or (language in ("python", "pycon") and ">>>" in text)


def plain_python() -> list[tuple[Path, str, str]]:
    """Programs without what they print, which load a model of the hub; they get a small one in its place."""
    return [
        block for block in blocks() if block[1] == "python" and ">>>" not in block[2] and "gpt2" in block[2]
    ]


@pytest.mark.parametrize(
    ("page", "language", "text"), plain_python(), ids=lambda given: getattr(given, "name", "")
)
def test_programs(
    page: Path, language: str, text: str, workplace: Path, monkeypatch: pytest.MonkeyPatch, small_models: Any
) -> None:
    from clearhead.sources.models.loading import Loaded

    tiny = Loaded(small_models.gpt2(n_layer=4), small_models.tokenizer(), None, "gpt2", "causal")
    monkeypatch.setattr(ch, "load_model", lambda name: tiny, raising=False)
    exec(compile(text, page.name, "exec"), {})


@pytest.mark.parametrize("text", [text for _, language, text in blocks() if language == "toml"])
def test_files_of_examples(text: str, workplace: Path) -> None:
    (workplace / "shown.toml").write_text(text, "utf-8")
    assert ch.run("shown.toml")["weights"].values.size > 0


def console_examples() -> list[tuple[str, str, str]]:
    """(page, command, expected output) of every `$ clearhead` line; the output is empty where none is shown.

    What several pages show in the same way is run for the first of them.
    """
    found = {
        (command, output): page.name
        for page, language, text in reversed(blocks())
        if runs(language, text) and language == "console"
        for command, output in re.findall(r"^\$ (clearhead .*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE)
    }
    return [(page, command, output) for (command, output), page in reversed(found.items())]


@pytest.mark.parametrize(("page", "command", "expected"), console_examples())
def test_console_examples(page: str, command: str, expected: str, workplace: Path) -> None:
    words = shlex.split(command)[1:]
    if "--resume" in words:
        ch.train("tea-is-hot", steps=100, optimiser="sgd", learning_rate=0.5, path="tea")
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1", "COLUMNS": "100"}
    done = subprocess.run(
        [sys.executable, "-m", "clearhead", *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment,
    )
    if not expected.strip():
        assert done.returncode == 0, done.stderr
        return
    shown = [line.rstrip() for line in (done.stdout + done.stderr).strip().splitlines()]
    assert shown == [line.rstrip() for line in expected.strip().splitlines()]


def test_there_are_console_examples() -> None:
    assert console_examples()


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8")):
        assert "://" in target or (page.parent / target).exists(), target
