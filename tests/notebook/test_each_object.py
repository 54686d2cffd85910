"""What is shown beside a trace: a capture with one of its heads, a training at one of its steps; a narrow cell."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

import clearhead as ch

CELLS = (
    "import clearhead as ch\n"
    "from clearhead.sources.worked.study.capture import capture_study\n"
    'cap = capture_study("the man saw the woman", 0, ())\n'
    "ch.show(cap, layer=1, head=2, query=3)",
    "cap",
    'run = ch.train("tea-is-hot", steps=31, optimiser="sgd", learning_rate=0.5, progress=False)\n'
    "view = ch.show(run, step=7, head=0, query=2, height=800)\nview",
    "run",
    "def unscaled(q, k, v):\n"
    "    return (q @ k.transpose(-2, -1)).softmax(-1) @ v\n"
    "report = ch.check(unscaled, library='torch')\n"
    "report",
)


@pytest.fixture(scope="module")
def lab(chromium: Browser, folder: Path, jupyter: str, bookshelf: Any) -> Iterator[Any]:
    file = bookshelf.write_jupyter(folder / "objects.ipynb", CELLS)
    with closing(chromium.new_context(viewport={"width": 1400, "height": 1000})) as context:
        opened = bookshelf.Jupyter(context.new_page(), jupyter, "lab", file)
        opened.open()
        yield opened


def test_a_capture_opens_at_the_head_that_was_asked_for(lab: Any) -> None:
    view = lab.view(0)
    expect(view.root.locator(".model-chosen")).to_contain_text("Layer 1, head 2")
    expect(view.root.get_by_text("three words").first).to_be_hidden()
    lab.view(1)


def test_a_training_stands_at_its_step_with_the_largest_weight_open(lab: Any) -> None:
    view = lab.view(2)
    run = ch.train("tea-is-hot", steps=31, optimiser="sgd", learning_rate=0.5, progress=False)
    weights = run.trace(7)["weights"].values[0, 2]
    name = f"weights[0,2,{weights.argmax()}]"
    expect(view.arithmetic(name)).to_be_visible()
    assert lab.value()["cell"] == {"name": name, "number": weights.max()}
    assert lab.value()["step"] == 7
    lab.view(3)


def test_a_report_shows_itself_and_leads_to_the_first_number_that_differs(lab: Any) -> None:
    root = lab.page.locator(".clearhead").nth(4)
    root.scroll_into_view_if_needed()
    expect(root.locator(".report > .notice")).to_contain_text("it leaves the scores undivided (no-scale)")
    root.get_by_role("button", name="to the first number that differs").click()
    expect(root.locator(".model-arithmetic .arithmetic-place")).to_contain_text("the reference, query")
    expect(root.locator("td.opened")).to_be_in_viewport()


def test_a_narrow_view_keeps_its_bar_and_its_arithmetic_inside(lab: Any) -> None:
    view = lab.view(2)
    lab.page.set_viewport_size({"width": 700, "height": 900})
    box = view.root.locator("xpath=..")
    inside = box.evaluate("(box) => box.scrollWidth <= box.clientWidth")
    assert inside
    outer, bar = box.bounding_box(), view.root.locator(".walk-bar").bounding_box()
    sheet = view.root.locator(".arithmetic-host").bounding_box()
    assert outer is not None
    assert bar is not None
    assert sheet is not None
    assert bar["y"] >= outer["y"]
    assert sheet["y"] + sheet["height"] <= outer["y"] + outer["height"] + 1
    assert sheet["height"] <= 0.5 * outer["height"]


def test_ctrl_s_in_a_view_saves_the_notebook(lab: Any) -> None:
    lab.page.set_viewport_size({"width": 1400, "height": 1000})
    lab.save()
    lab.command("notebook:insert-cell-below")
    lab.page.wait_for_function("() => jupyterapp.shell.currentWidget.context.model.dirty")
    lab.view(2).root.get_by_role("gridcell").first.focus()
    lab.page.keyboard.press("Control+s")
    lab.page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty")
