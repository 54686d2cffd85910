"""The documentation's examples, run as they stand: `>>>` lines by doctest, `$ clearhead` lines by the real command."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import clearhead as ch
from clearhead.sources.worked.study.capture import capture_study

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)

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
def table(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The table of this corpus."""
    folder = tmp_path_factory.mktemp("corpus")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, text in CORPUS.items():
            Path(name).write_text(text)
        return ch.corpus_statistics("study", list(CORPUS), "table.parquet").path.read_bytes()


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: bytes) -> Path:
    """A folder of its own, with the files that examples name."""
    for name, text in CORPUS.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "table.parquet").write_bytes(table)
    (tmp_path / "ragged.toml").write_text(RAGGED)
    capture_study(SENTENCE).save(tmp_path / "cap.safetensors")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def python_pages() -> list[Path]:
    return [page for page in PAGES if ">>>" in page.read_text("utf-8")]


@pytest.mark.parametrize("page", python_pages(), ids=lambda page: page.name)
def test_python_examples(page: Path, workplace: Path) -> None:
    result = doctest.testfile(
        str(page), module_relative=False, encoding="utf-8", optionflags=doctest.ELLIPSIS
    )
    assert result.attempted > 0
    assert result.failed == 0


def console_examples() -> list[tuple[str, str, str]]:
    """(page, command, expected output) of every `$ clearhead` line that shows its output."""
    found = []
    for page in PAGES:
        for block in CONSOLE.findall(page.read_text("utf-8")):
            for command, output in re.findall(r"^\$ (clearhead .*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
                if output.strip():
                    found.append((page.name, command, output))
    return found


@pytest.mark.parametrize(("page", "command", "expected"), console_examples())
def test_console_examples(page: str, command: str, expected: str, workplace: Path) -> None:
    words = shlex.split(command)[1:]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1", "COLUMNS": "100"}
    done = subprocess.run(
        [sys.executable, "-m", "clearhead", *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment,
    )
    shown = [line.rstrip() for line in (done.stdout + done.stderr).strip().splitlines()]
    assert shown == [line.rstrip() for line in expected.strip().splitlines()]


def test_there_are_console_examples() -> None:
    assert console_examples()


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8")):
        assert "://" in target or (page.parent / target).exists(), target
