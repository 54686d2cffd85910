"""What can be taken away: a matrix, the arithmetic, a program, the trace."""

import ast
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import expect

import clearhead as ch

CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}
VARIED = "example=the-dog-chased-the-cat&mask=causal&edits=E:dog:2:-0.1"


@pytest.fixture(scope="module")
def varied():
    example = ch.load("the-dog-chased-the-cat")
    rows = {word: [*row[:2], -0.1, row[3]] if word == "dog" else row for word, row in example.E.items()}
    return ch.run(replace(example, E=rows, mask="causal")).backward()


def clipboard(walk):
    return walk.page.evaluate("navigator.clipboard.readText()")


def test_a_copied_matrix_is_full_values_between_tabs_with_ascii_signs(open_walk, varied):
    walk = open_walk(VARIED, **CLIPBOARD)
    for key, values in [
        ("mask/masked/0", varied["masked"].values[0]),
        ("scores/scores/0", varied["scores"].values[0]),
        ("embeddings/E/all", varied["E"].values),
    ]:
        walk.matrix(key).get_by_role("button", name="copy").click()
        expect(
            walk.page.get_by_role("status").filter(has_text=re.compile(r"Copied .*every number in full"))
        ).to_be_visible()
        text = clipboard(walk)
        assert text.isascii()
        table = [[float(number) for number in line.split("\t")] for line in text.split("\n")]
        assert np.array_equal(np.array(table), values)


def test_a_cell_copies_its_full_value(open_walk, varied):
    walk = open_walk(VARIED, **CLIPBOARD)
    walk.cell("scores/scores/0", 0, 0).focus()
    walk.press("Control+c")
    assert float(clipboard(walk)) == varied["scores"].values[0, 0, 0]


def test_the_arithmetic_is_copied_as_text_and_as_latex(open_walk):
    walk = open_walk(**CLIPBOARD)
    panel = walk.open_cell("scores/scores/0", 3, 1, "scores[0,3,1]")
    panel.get_by_role("button", name="copy as text").click()
    expect(walk.page.get_by_role("status").filter(has_text="Copied the arithmetic as text.")).to_be_visible()
    assert "scores[0,3,1]" in clipboard(walk)
    panel.get_by_role("button", name="copy as LaTeX").click()
    expect(walk.page.get_by_role("status").filter(has_text="Copied the arithmetic as LaTeX.")).to_be_visible()
    assert "\\begin{aligned}" in clipboard(walk)


def printed(script):
    """The last array that a script prints, which is the output, and all the numbers that it prints."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    sections = re.split(r"^([A-Za-z_]\w*)$", done.stdout, flags=re.M)[1:]
    return dict(zip(sections[::2], sections[1::2], strict=True))


@pytest.mark.parametrize("flavour", ["NumPy", "PyTorch"])
def test_the_copied_program_prints_the_numbers_of_the_page(open_walk, varied, flavour):
    walk = open_walk(VARIED, **CLIPBOARD)
    walk.page.get_by_role("button", name="copy as Python").click()
    dialog = walk.page.get_by_role("dialog")
    walk.choose(dialog.get_by_role("radio", name=flavour))
    expect(dialog.get_by_label("the script")).to_contain_text(
        "import numpy" if flavour == "NumPy" else "import torch"
    )
    dialog.get_by_role("button", name="copy", exact=True).click()
    expect(dialog.get_by_role("status")).to_have_text("Copied.")
    script = clipboard(walk)
    ast.parse(script)
    found = printed(script)
    for name in ("X", "Q", "scores", "masked", "weights", "mixed", "output"):
        values = [
            float(number)
            for number in re.findall(r"-?(?:inf|\d+\.?\d*(?:e-?\d+)?)", found[name].partition("dtype")[0])
        ]
        wanted = varied[name].values.ravel()
        assert len(values) == len(wanted), name
        assert np.allclose(values, wanted, rtol=0, atol=1e-4), name  # as many digits as are printed


def test_the_downloaded_program_is_the_shown_one(open_walk):
    walk = open_walk()
    walk.page.get_by_role("button", name="copy as Python").click()
    dialog = walk.page.get_by_role("dialog")
    expect(dialog.get_by_label("the script")).to_contain_text("import numpy")
    with walk.page.expect_download() as event:
        dialog.get_by_role("button", name="download").click()
    assert event.value.suggested_filename == "attention_numpy.py"
    assert event.value.path().read_text() == dialog.get_by_label("the script").text_content()


def test_the_downloaded_trace_is_the_one_that_python_computes(open_walk, varied, tmp_path):
    walk = open_walk(VARIED)
    with walk.page.expect_download() as event:
        walk.page.get_by_role("button", name="download trace").click()
    path = tmp_path / event.value.suggested_filename
    event.value.save_as(path)
    trace = ch.load_trace(path)
    # The page also works the update that would come next.
    assert list(trace)[: len(varied)] == list(varied)
    assert all(name.endswith("_next") for name in list(trace)[len(varied) :])
    assert list(trace.tokens) == list(varied.tokens)
    for name in varied:
        assert trace[name].axes == varied[name].axes
        assert np.array_equal(trace[name].values, varied[name].values), name
