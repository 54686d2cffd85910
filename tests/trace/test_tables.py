"""Matrices and worked cells as LaTeX, Markdown and TSV: what is in a word stays text."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from markdown_it import MarkdownIt

import clearhead as ch
from clearhead.trace.notation.prose import latex_prose, markdown_prose

NASTY = [
    "=cmd|'/c calc'!A1", "+1", "-2", "@sum", "1/2", "$x^2_3$ & \\input{x} % #", "| ` ``` |", "*a* _b_ [c](http://x.y)",
    "<script>alert(1)</script>", "a\tb\nc", "[CLS]", "~^\"--''`", "&amp;", "http://x.y www.x.y a@b.cd", "# 1. - >",
    "{", "}", "\\", "‹›", "\u202e", " ␣ ", "",
]  # fmt: skip


def example_of(tokens: list[str]) -> ch.Example:
    """Each word beside a plain one, as an empty word cannot be one of an example's."""
    return ch.Example(
        tokens=["x", *tokens], E={word: [number, 1] for number, word in enumerate(["x", *tokens])},
        W_Q=[[1, 0], [0, 1]], W_K=[[1, 0], [0, 1]], W_V=[[1, 0], [0, 1]], positions="none", mask="causal",
    )  # fmt: skip


def traced(token: str) -> ch.Trace:
    return ch.run(example_of([token]))


# --- by hand ---------------------------------------------------------------------------------------------------------


def test_a_matrix_in_all_three_forms():
    trace = ch.run("three-words", mask="causal")
    assert trace["scaled"].markdown(head=0) == (
        "| scaled, head 0: query ↓ key → | 0 cats | 1 chase | 2 mice |\n"
        "| --- | --: | --: | --: |\n"
        "| 0 cats | −1.41 | 0 | 1.41 |\n"
        "| 1 chase | 1.41 | 0 | −1.41 |\n"
        "| 2 mice | 0 | 1.41 | 0 |"
    )
    assert trace["masked"].tsv(2).splitlines() == [
        "head\tquery\t[0] cats\t[1] chase\t[2] mice",
        "0\t[0] cats\t-1.41\t−∞\t−∞",
        "0\t[1] chase\t1.41\t0\t−∞",
        "0\t[2] mice\t0\t1.41\t0",
    ]
    masked = trace["weights"]
    assert masked.markdown(head=0).splitlines()[2] == "| 0 cats | 1.00 | masked | masked |"
    assert masked.latex(head=0).splitlines()[4] == r"0 cats & $1.00$ & masked & masked \\"
    assert masked.tsv(2, head=0).splitlines()[1] == "0\t[0] cats\t1.00\tmasked\tmasked"
    assert trace["W_O"].latex().splitlines() == [
        r"\begin{tabular}{r|rrrr}",
        r"\multicolumn{5}{l}{$W_{O}$} \\",
        r"joined $\downarrow$\ model $\rightarrow$ & 0 & 1 & 2 & 3 \\",
        r"\hline",
        r"0 & $0$ & $1.00$ & $0$ & $0$ \\",
        r"1 & $0$ & $0$ & $0$ & $1.00$ \\",
        r"\end{tabular}",
    ]


def test_vectors_and_single_numbers_have_one_row():
    trace = ch.run("two-heads")
    assert trace["b_1"].tsv() == "b_1\t0\t1\t2\n\t-3\t-3\t-3\n"
    assert trace["loss"].tsv(3).startswith("loss\t\n\t0.")
    assert trace["b_1"].markdown().splitlines()[0] == r"| b\_1: hidden → | 0 | 1 | 2 |"
    assert trace["loss"].latex(3).count("&") == 1


def test_heads_one_or_all():
    trace = ch.run("two-heads")
    assert trace["weights"].latex().count(r"\begin{tabular}") == 2
    assert trace["weights"].markdown(head=-1) == trace["weights"].markdown(head=1)
    assert [row.split("\t")[0] for row in trace["weights"].tsv().splitlines()] == ["head", *"0000011111"]
    with pytest.raises(IndexError, match=r"^weights: head goes from 0 to 1, got 2$"):
        trace["weights"].tsv(head=2)
    with pytest.raises(IndexError, match=r"^E: has no heads"):
        trace["E"].latex(head=0)


def test_tsv_holds_every_number_exactly():
    trace = ch.run("two-heads", mask="causal")
    rows = list(csv.reader(io.StringIO(trace["masked"].tsv()), delimiter="\t", quoting=csv.QUOTE_NONE))
    read = [[float(one.replace("−∞", "-inf")) for one in row[2:]] for row in rows[1:]]
    assert np.array_equal(np.array(read), trace["masked"].values.reshape(10, 5))


def test_a_part_of_a_long_text_keeps_its_places(two_queries):
    assert [line.split("\t")[1] for line in two_queries.tsv(2).splitlines()] == ["query", "[3] d"]


@pytest.fixture
def two_queries() -> ch.Quantity:
    """Weights of which the row of query 3 alone is here."""
    words = ch.Trace([ch.run(example_of(["b", "c", "d"]))["weights"]], ["a", "b", "c", "d"])["weights"].words
    values = np.array([[[0.5, 0.5, 0, 0]]])
    return ch.Quantity("weights", ("head", "query", "key"), values, origin=(None, 3, None), words=words)


# --- words stay text -------------------------------------------------------------------------------------------------


class Cells(HTMLParser):
    """The text of a table's cells, and the elements that are in it."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells and data.strip("\n"):
            self.cells[-1] += data


@pytest.mark.parametrize("token", [token for token in NASTY if token])
def test_markdown_shows_a_word_as_it_is(token):
    shown = MarkdownIt("commonmark").enable("table").render(traced(token)["scores"].markdown())
    read = Cells()
    read.feed(shown)
    assert read.tags == {"table", "thead", "tbody", "tr", "th", "td"}
    assert read.cells[2] == read.cells[6] == f"1 {visible(token)}"
    assert len(read.cells) == 9


def visible(token: str) -> str:
    """What the project shows of it; a line of Markdown has no blanks at its ends, which are visible marks anyway."""
    from clearhead.trace.notation.tokens import visible_token

    return visible_token(token)


def test_an_address_in_a_word_is_no_link():
    """GitHub makes links of bare addresses too; an escaped colon or point ends what it takes for one."""
    assert "http://" not in markdown_prose("http://x.y")
    assert "www." not in markdown_prose("www.x.y")


@pytest.mark.parametrize("token", [token for token in NASTY if token])
def test_a_spreadsheet_takes_no_word_for_a_formula_or_a_number(token):
    rows = [line.split("\t") for line in traced(token)["scores"].tsv().splitlines()]
    assert {len(row) for row in rows} == {4}
    labels = [*rows[0], *(row[1] for row in rows)]
    assert not any(label.startswith(tuple("=+-@\t\r")) for label in labels)
    assert all(re.match(r"\[\d\] |head|query", label) for label in labels)
    assert f"[1] {visible(token)}" in labels


COMMANDS = {
    r"\begin", r"\end", r"\multicolumn", r"\hline", r"\text", r"\downarrow", r"\rightarrow", r"\textbackslash",
    r"\textasciitilde", r"\textasciicircum", r"\textless", r"\textgreater", r"\textbar", r"\char", r"\infty", r"\cdot",
    r"\textvisiblespace", r"\hookleftarrow", r"\mapsto", r"\emptyset", r"\langle", r"\rangle",
}  # fmt: skip
"""What a table may call."""


def parse_latex(source: str) -> list[list[str]]:
    """The cells of a tabular, read strictly: every character that means more than itself is accounted for.

    Raises:
        AssertionError: braces or dollars do not match, or something is called that a table has no use for.
    """
    cells, depth, maths, at = [[""]], 0, False, 0
    while at < len(source):
        piece = re.match(r"\\[A-Za-z]+|\\.|.", source[at:], re.DOTALL)[0]
        at += len(piece)
        if piece == "{":
            depth += 1
        elif piece == "}":
            depth -= 1
        elif piece == "$":
            maths = not maths
        elif piece == "&" and depth == 0:
            cells[-1].append("")
            continue
        elif piece == r"\\":
            assert not re.match(r"\s*[\[*]", source[at:]), "the end of a row has an argument"
            cells.append([""])
            continue
        elif re.fullmatch(r"\\[A-Za-z]+", piece):
            assert piece in COMMANDS, piece
        elif len(piece) == 2:
            assert piece[1] in "{}$&#_%\\ ", piece
        elif piece in "#%~" or (piece in "^_" and not maths):
            raise AssertionError(f"{piece!r} is not escaped")
        assert depth >= 0
        cells[-1][-1] += piece
    assert depth == 0
    assert not maths
    return cells


@pytest.mark.parametrize("token", [token for token in NASTY if token])
def test_latex_has_nothing_in_it_that_a_word_brought(token):
    table = traced(token)["scores"].latex()
    rows = parse_latex(table)
    assert [len(row) for row in rows] == [1, 3, 3, 3, 1]
    assert rows[1][2].strip() == f"1 {latex_prose(visible(token))}"


def test_the_parser_finds_what_is_wrong():
    for wrong in (r"a_b", r"50 % & 2", r"\input{x}", "{", r"a \\ [CLS]", "$"):
        with pytest.raises(AssertionError):
            parse_latex(wrong)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX on this machine")
def test_latex_compiles(tmp_path: Path):
    words = [token for token in NASTY if token and "\u202e" not in token]
    trace = ch.run(example_of(words))
    parts = [
        trace["scores"].latex(),
        trace["E"].latex(),
        "$" + trace["weights"].explain(0, 2, 1).latex() + "$",
    ]
    body = "\n\n".join(parts)
    document = (
        f"\\documentclass{{article}}\\usepackage{{amsmath}}\\begin{{document}}\\tiny {body}\\end{{document}}"
    )
    (tmp_path / "t.tex").write_text(document, "utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"], cwd=tmp_path, capture_output=True
    )
    assert done.returncode == 0, done.stdout[-2000:]


# --- a worked cell ---------------------------------------------------------------------------------------------------


def test_a_worked_cell_in_markdown():
    why = ch.run("three-words", mask="causal")["masked"].explain(0, 0, 1)
    assert why.markdown().split("\n\n") == [
        r"**masked\[0,0,1\]**",
        "$$\n\\text{masked}_{h,i,j} = \\begin{cases} \\text{scaled}_{h,i,j} & \\text{where j $\\le$ i} \\\\ "
        "-\\infty  & \\text{elsewhere} \\end{cases}\n$$",
        "$$\n\\begin{aligned}\n\\text{masked}_{0,0,1} &= -\\infty\n\\end{aligned}\n$$",
        r"masked\: key 1 comes after query 0, so it may not be seen; its score is replaced by −∞",
    ]


def test_a_given_number_has_no_formula():
    assert ch.run("three-words")["E"].explain(0, 0).markdown().count("$$") == 2
