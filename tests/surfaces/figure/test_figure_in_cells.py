"""Axes at the end of a notebook's cell are a picture, not their name."""

import base64
import struct

import nbformat
import pytest
from nbclient import NotebookClient

SHOWN = {
    "axes": 'ch.run("three-words").figure("weights")',
    "several": 'ch.run("three-words").figure("Q,K,V")',
    "figure": 'ch.run("three-words").figure("weights").figure',
}
OTHER = {"an array": "np.arange(3)", "of pyplot": "plt.subplots()[1]"}
FIRST = """
import matplotlib
matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
import clearhead as ch
"""


@pytest.fixture(scope="module")
def outputs():
    """Of each cell the data of what stands at its end."""
    cells = {"first": FIRST, **SHOWN, **OTHER}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells.values()])
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    results = (
        [one for one in cell.outputs if one.output_type == "execute_result"] for cell in notebook.cells
    )
    return dict(zip(cells, results, strict=True))


@pytest.mark.parametrize("name", SHOWN)
def test_a_figure_is_a_picture(outputs, name):
    [result] = outputs[name]
    png = base64.b64decode(result.data["image/png"])
    width, _ = struct.unpack(">II", png[16:24])
    assert width == pytest.approx(2 * result.metadata["image/png"]["width"], abs=1)


@pytest.mark.parametrize("name", OTHER)
def test_what_is_not_ours_is_left_alone(outputs, name):
    [result] = outputs[name]
    assert set(result.data) == {"text/plain"}
