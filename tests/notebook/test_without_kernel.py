"""A notebook whose kernel is gone, and one that was only saved."""

import base64
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from playwright.sync_api import Browser, expect

CELLS = ('import clearhead as ch\nch.run("three-words")', "1 + 1")


@pytest.fixture(scope="module")
def lab(chromium: Browser, folder: Path, jupyter: str, bookshelf: Any) -> Iterator[Any]:
    """A notebook in JupyterLab that has run."""
    file = bookshelf.write_jupyter(folder / "gone.ipynb", CELLS)
    with closing(chromium.new_context(viewport={"width": 1400, "height": 1000})) as context:
        opened = bookshelf.Jupyter(context.new_page(), jupyter, "lab", file)
        opened.open()
        opened.view(0)
        yield opened


def test_what_is_saved_shows_something_without_a_kernel(lab: Any) -> None:
    lab.save()
    outputs = nbformat.read(lab.file, as_version=4).cells[0].outputs
    (data,) = [one.data for one in outputs if "data" in one]
    assert set(data) >= {"text/plain", "text/html", "image/png", "application/vnd.jupyter.widget-view+json"}
    assert data["text/plain"].startswith("Trace of 'cats chase mice'")
    assert "where Clearhead is installed with its extra &quot;notebook&quot;" in data["text/html"]
    assert "<td" in data["text/html"]
    png = base64.b64decode(data["image/png"])
    width, height = struct.unpack(">II", png[16:24])
    assert png.startswith(b"\x89PNG")
    assert width > 300
    assert height > 100


def test_a_kernel_that_ends_is_told_in_a_sentence(lab: Any) -> None:
    view = lab.view(0)
    lab.end_kernel()
    view.choice("mask", "causal").locator("xpath=ancestor::label").click()
    expect(view.messages()).to_contain_text("Run the cell again to go on")
    expect(view.matrix("softmax/weights/0")).to_be_visible()


def test_a_new_kernel_and_the_cell_run_again_bring_a_view_that_lives(lab: Any) -> None:
    lab.start_kernel()
    lab.run_all()
    view = lab.view(0)
    view.switch("mask", "causal")
    view.open_cell("softmax/weights/0", 0, 2, "weights[0,0,2]")
    expect(view.messages()).to_be_hidden()


def test_a_saved_notebook_as_a_page_shows_the_numbers(lab: Any) -> None:
    lab.save()
    html, _ = HTMLExporter().from_filename(lab.file)
    assert "This is a picture of a live view of Clearhead" in html
    assert ">0.77</td>" in html


def test_a_notebook_that_is_executed_on_the_way_shows_the_numbers_where_no_views_are_kept() -> None:
    """As `jupyter nbconvert --execute --ExecutePreprocessor.store_widget_state=False` does it."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    NotebookClient(notebook, timeout=300, kernel_name="python3", store_widget_state=False).execute()
    html, _ = HTMLExporter().from_notebook_node(notebook)
    assert "This is a picture of a live view of Clearhead" in html
    assert ">0.77</td>" in html
    assert "application/vnd.jupyter.widget-state+json" not in html
