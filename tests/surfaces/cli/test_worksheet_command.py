"""`clearhead worksheet` and `clearhead table`."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from pypdf import PdfReader


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def test_a_sheet_and_its_key(run, here):
    done = run("worksheet", "three-words", "--hide", "weights,output", "-o", "sheet.pdf")
    assert done.exit_code == 0
    assert done.stdout == "The worksheet in sheet.pdf, the answers in sheet-key.pdf\n"
    sheet, key = ((here / name).read_bytes() for name in ("sheet.pdf", "sheet-key.pdf"))
    assert "0.77" not in "".join(page.extract_text() for page in PdfReader(io.BytesIO(sheet)).pages)
    assert "0.77" in "".join(page.extract_text() for page in PdfReader(io.BytesIO(key)).pages)


def test_without_a_name_the_files_are_called_after_the_example(run, here):
    done = run("worksheet", "three-words")
    assert done.stdout == "The worksheet in three-words-sheet.pdf, the answers in three-words-sheet-key.pdf\n"
    assert names(here) == ["three-words-sheet-key.pdf", "three-words-sheet.pdf"]


def test_the_key_elsewhere_or_not_at_all(run, here):
    assert run("worksheet", "three-words", "-o", "a.pdf", "--key", "b.pdf", "--variants", "2").exit_code == 0
    assert names(here) == ["a.pdf", "b.pdf"]
    done = run("worksheet", "three-words", "-o", "c.pdf", "--no-key", "--mask", "causal", "--paper", "letter")
    assert done.stdout == "The worksheet in c.pdf\n"
    assert names(here) == ["a.pdf", "b.pdf", "c.pdf"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["three-words", "-o", "a.txt"], "a.txt: expected a name that ends in .pdf"),
        (["three-words", "-o", "a.pdf", "--key", "./a.pdf"], "a.pdf: expected another file for the answers"),
        (["three-words", "-o", "no/a.pdf"], "no/a.pdf: there is no folder 'no' to write it into"),
        (
            ["three-words", "-o", "a.pdf", "--key", "no/b.pdf"],
            "no/b.pdf: there is no folder 'no' to write it into",
        ),
        (
            ["three-words", "-o", "a.pdf", "--hide", "W_Q"],
            "hide: W_Q is given, so that nobody could work it out",
        ),
        (
            ["three-wrods", "-o", "a.pdf"],
            "no example is named 'three-wrods', and there is no such file; did you mean ",
        ),
    ],
)
def test_mistakes(run, here, arguments, says):
    done = run("worksheet", *arguments)
    assert done.exit_code == 1
    assert done.stderr.startswith("clearhead: ")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert names(here) == []


@pytest.mark.parametrize(
    "arguments", [["--digits", "5"], ["--paper", "a3"], ["--variants", "-1"], ["--key", "b.pdf", "--no-key"]]
)
def test_wrong_usage(run, here, arguments):
    assert run("worksheet", "three-words", "-o", "a.pdf", *arguments).exit_code == 2
    assert names(here) == []


def test_a_table_printed_or_written(run, here):
    done = run("table", "three-words", "scaled", "--as", "tsv", "--digits", "2")
    assert done.stdout.splitlines()[1] == "0\t[0] cats\t-1.41\t0\t1.41"
    assert run("table", "three-words", "W_Q").stdout.startswith("| W\\_Q: model ↓ joined → | 0 | 1 |\n")
    assert run("table", "three-words", "dW_Q", "-o", "t.tex").stdout == "Written to t.tex\n"
    assert (here / "t.tex").read_text("utf-8").startswith("\\begin{tabular}{r|rr}\n")
    assert run("table", "two-heads", "weights", "--head", "1", "-o", "t.tsv").exit_code == 0
    assert (here / "t.tsv").read_text("utf-8").count("\n") == 6


def test_a_table_of_a_capture(run, saved_capture):
    done = run("table", saved_capture, "L1H2.weights", "--as", "tsv", "--digits", "2")
    assert done.exit_code == 0
    assert done.stdout.startswith("query\t[0] ")
    wrong = run("table", saved_capture, "weights")
    assert (wrong.exit_code, wrong.stderr.count("\n")) == (1, 1)
    assert "expected layer, head and a quantity, such as L3H1.weights" in wrong.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["three-words", "nothing"], "no quantity named 'nothing'; this trace has "),
        (["three-words", "weights", "--head", "7"], "weights: head goes from 0 to 0, got 7"),
        (["three-words", "E", "-o", "no/t.md"], "no/t.md: there is no folder 'no' to write it into"),
        (
            ["three-words", "E", "-o", "t.csv"],
            "t.csv: expected a name that ends in .md, .tex or .tsv, or --as ",
        ),
        (["lost", "E"], "no example is named 'lost', and there is no such file; expected an example "),
    ],
)
def test_mistakes_with_tables(run, here, arguments, says):
    done = run("table", *arguments)
    assert done.exit_code == 1
    assert says in done.stderr
    assert names(here) == []
