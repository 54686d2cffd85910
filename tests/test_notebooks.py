"""The notebooks under examples/: stored without outputs, and executed from the first cell to the last."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

FOLDER = Path(__file__).parent.parent / "examples"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
VIEW = "application/vnd.jupyter.widget-view+json"


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == [
        "a_model_captured",
        "a_sentence_by_hand",
        "a_training_watched",
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_without_outputs(path: Path) -> None:
    """So that a change of a notebook is a change of its text, and none holds what an older version said."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
        assert cell["metadata"] == {}


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Notebooks that were executed, by name: each once, in a folder of its own, as they are asked for."""
    return {}


def run(path: Path, folder: Path, executed: dict[str, Any]) -> Any:
    if path.stem not in executed:
        notebook = nbformat.read(path, as_version=4)
        client = nbclient.NotebookClient(
            notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
        )
        executed[path.stem] = client.execute()
    return executed[path.stem]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs_from_the_first_cell_to_the_last(path: Path, tmp_path: Path, executed: dict[str, Any]) -> None:
    """Cells assert what the text around them says; the last one shows a view."""
    cells = [cell for cell in run(path, tmp_path, executed).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        assert not [out for out in cell.outputs if out.get("name") == "stderr"], cell.source
    assert any(VIEW in out.get("data", {}) for out in cells[-1].outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_figures_are_shown(path: Path, tmp_path: Path, executed: dict[str, Any]) -> None:
    cells = [cell for cell in run(path, tmp_path, executed).cells if ".figure" in cell.source]
    assert cells
    for cell in cells:
        assert any("image/png" in out.get("data", {}) for out in cell.outputs), cell.source
