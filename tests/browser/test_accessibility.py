"""axe-core finds nothing, in light and dark, wide and narrow: at rest, with a cell open, while editing, in a dialog."""

import pytest
from playwright.sync_api import expect

LOOKS = [(theme, width) for theme in ("light", "dark") for width in (1400, 375)]
APART = [("light", 1400), ("light", 375), ("dark", 1400)]
"""For whole pages. Of what they are made of, the gallery shows each part in each state, in all looks: a colour that is
bad in the dark alone and on a narrow screen alone is found there."""
# Few words and a mask: every kind of cell, and no more of them than needed.
FRAGMENT = "example=three-words&mask=causal&positions=sinusoidal"
ARITHMETIC = ".side, td.opened, td.source, td.feeds"
"""The panel with the open cell, and what it lights up in the matrices."""


@pytest.mark.parametrize(("theme", "width"), APART)
def test_axe_finds_nothing_on_the_walkthrough(open_walk, axe, theme, width):
    walk = open_walk(FRAGMENT, **axe.options(theme, width))
    judge = axe.Judge(walk.page, theme)
    judge.see("at rest")

    walk.cell("softmax/weights/0", 2, 1).click()
    panel = walk.arithmetic("weights[0,2,1]")
    panel.wait_for()
    panel.get_by_role("button", name="where does it go").click()
    panel.get_by_text("full precision").click()
    judge.see("with a cell open", new=ARITHMETIC)

    walk.cell("projections/W_Q/all", 1, 1).dblclick()
    walk.press("Control+a")
    walk.page.keyboard.type("x")
    walk.press("Enter")
    expect(walk.matrix("projections/W_Q/all").get_by_role("alert")).to_be_visible()
    judge.see("while editing", new='figure[data-key="projections/W_Q/all"]')
    walk.press("Control+a")
    walk.page.keyboard.type("1")
    with walk.redrawn():
        walk.press("Enter")
    with walk.redrawn():
        walk.history("compare with before").click()
    judge.see("compared with before")

    walk.page.get_by_role("button", name="copy as Python").click()
    expect(walk.page.get_by_label("the script")).to_contain_text("import numpy")
    judge.see("in the script's dialog", new="dialog[open]")
    walk.press("Escape")

    walk.add_word("sugar")
    judge.see("with a message", new=".notices, .sentence")
    walk.page.get_by_role("button", name="type its row").click()
    walk.page.get_by_role("dialog").get_by_role("textbox").fill("1")
    walk.press("Enter")
    judge.see("in the row's dialog", new="dialog[open]")
    judge.finds_nothing()


@pytest.mark.parametrize(("theme", "width"), APART)
def test_axe_finds_nothing_on_a_whole_model_in_training(open_walk, axe, theme, width):
    walk = open_walk("example=mary-saw-tom&layer=1", **axe.options(theme, width))
    judge = axe.Judge(walk.page, theme)
    training = walk.stop("Training")
    training.get_by_role("textbox", name="learning rate").fill("0")
    training.get_by_role("button", name="train").click()
    expect(training.get_by_role("alert")).to_be_visible()
    judge.see("with a mistake", new="[data-stop=training]")

    training.get_by_role("textbox", name="learning rate").fill("0.01")
    training.get_by_role("textbox", name="steps").fill("5")
    with walk.redrawn():
        training.get_by_role("button", name="train").click()
    expect(training.locator(".player-readout")).to_contain_text("step 5 of 5")
    judge.see("trained", new="[data-stop=training]")

    walk.stop("Scores: every query meets every key").locator("summary").click()
    walk.matrix("backwards-scores/dscores/0").locator("td").nth(3).click()
    walk.arithmetic("dscores[0,0,3] (layer 1)").wait_for()
    judge.see("with a gradient open")
    judge.finds_nothing()


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_axe_finds_nothing_on_the_gallery(open_walk, axe, theme, width):
    walk = open_walk(path="gallery", **axe.options(theme, width))
    walk.page.locator("figure.matrix").first.wait_for()
    judge = axe.Judge(walk.page, theme)
    judge.see("every component in every state")
    judge.finds_nothing()
