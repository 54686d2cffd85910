"""axe-core finds nothing, in light and dark, wide and narrow: at rest, with a cell open, while editing, in a dialog."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

AXE = (Path(__file__).parents[2] / "frontend/node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")
RUN = """
async () => {
    // What follows the size of an element, such as the focus of wide formulas, is done when a frame has been drawn.
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const { violations } = await axe.run(document, { resultTypes: ['violations'] });
    return violations.flatMap(({ id, help, nodes }) => nodes.slice(0, 3).map((node) =>
        `${id}: ${help} — ${node.target.join(' ')} — ${node.failureSummary}`));
}
"""
LOOKS = [(theme, width) for theme in ("light", "dark") for width in (1400, 375)]
# Few words and a mask: every kind of cell, and no more of them than needed.
FRAGMENT = "example=three-words&mask=causal&positions=sinusoidal"


def found(walk):
    walk.page.evaluate(f"() => {{ if (!window.axe) {{ {AXE} }} }}")
    return walk.page.evaluate(RUN)


def looks(theme, width):
    return {"color_scheme": theme, "viewport": {"width": width, "height": 900}, "reduced_motion": "reduce"}


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_axe_finds_nothing_on_the_walkthrough(open_walk, theme, width):
    walk = open_walk(FRAGMENT, **looks(theme, width))
    problems = {"at rest": found(walk)}

    walk.cell("softmax/weights/0", 2, 1).click()
    panel = walk.arithmetic("weights[0,2,1]")
    panel.wait_for()
    panel.get_by_role("button", name="where does it go").click()
    panel.get_by_text("full precision").click()
    problems["with a cell open"] = found(walk)

    walk.cell("projections/W_Q/all", 1, 1).dblclick()
    walk.press("Control+a")
    walk.page.keyboard.type("x")
    walk.press("Enter")
    expect(walk.matrix("projections/W_Q/all").get_by_role("alert")).to_be_visible()
    problems["while editing"] = found(walk)
    walk.press("Control+a")
    walk.page.keyboard.type("1")
    with walk.redrawn():
        walk.press("Enter")
    with walk.redrawn():
        walk.history("compare with before").click()
    problems["compared with before"] = found(walk)

    walk.page.get_by_role("button", name="copy as Python").click()
    expect(walk.page.get_by_label("the script")).to_contain_text("import numpy")
    problems["in the script's dialog"] = found(walk)
    walk.press("Escape")

    walk.add_word("sugar")
    problems["with a message"] = found(walk)
    walk.page.get_by_role("button", name="type its row").click()
    walk.page.get_by_role("dialog").get_by_role("textbox").fill("1")
    walk.press("Enter")
    problems["in the row's dialog"] = found(walk)
    assert {state: some for state, some in problems.items() if some} == {}


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_axe_finds_nothing_on_a_whole_model_in_training(open_walk, theme, width):
    walk = open_walk("example=mary-saw-tom&layer=1", **looks(theme, width))
    training = walk.stop("Training")
    training.get_by_role("textbox", name="learning rate").fill("0")
    training.get_by_role("button", name="train").click()
    problems = {"with a mistake": found(walk)}

    training.get_by_role("textbox", name="learning rate").fill("0.01")
    training.get_by_role("textbox", name="steps").fill("5")
    with walk.redrawn():
        training.get_by_role("button", name="train").click()
    expect(training.locator(".player-readout")).to_contain_text("step 5 of 5")
    problems["trained"] = found(walk)

    walk.stop("Scores: every query meets every key").locator("summary").click()
    walk.matrix("backwards-scores/dscores/0").locator("td").nth(3).click()
    walk.arithmetic("dscores[0,0,3] (layer 1)").wait_for()
    problems["with a gradient open"] = found(walk)
    assert {state: some for state, some in problems.items() if some} == {}


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_axe_finds_nothing_on_the_gallery(open_walk, theme, width):
    walk = open_walk(path="gallery", **looks(theme, width))
    walk.page.locator("figure.matrix").first.wait_for()
    assert found(walk) == []
