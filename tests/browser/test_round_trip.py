"""The training loop as a map: every step a way to its stop, every gradient a way to the matrices beside it."""

import pytest
from playwright.sync_api import expect

EXAMPLE = "example=mary-saw-tom&layer=1"


def loop(walk):
    return walk.page.get_by_role("navigation", name="the training loop")


def test_every_stop_up_to_the_loss_is_on_the_map_in_order(open_walk):
    walk = open_walk(EXAMPLE)
    bar = (
        walk.page.get_by_role("navigation", name="steps of attention").get_by_role("button").all_inner_texts()
    )
    forwards = loop(walk).get_by_role("list", name="forwards").get_by_role("button").all_inner_texts()
    assert forwards == bar[: bar.index("Loss") + 1]
    backwards = loop(walk).get_by_role("list", name="backwards").get_by_role("button").all()
    assert backwards[0].inner_text().startswith("dloss")
    assert backwards[-1].inner_text().startswith("dX")


def test_a_gradient_leads_to_its_matrices_and_unfolds_them(open_walk):
    walk = open_walk(EXAMPLE, reduced_motion="reduce")
    gradient = walk.matrix("backwards-scores/dscores/0")
    expect(gradient).to_have_count(0)
    loop(walk).get_by_role("button", name="dscores").click()
    expect(gradient).to_be_in_viewport()
    assert walk.page.evaluate("() => document.activeElement.localName") == "summary"
    walk.open_cell("backwards-scores/dscores/0", 2, 1, "dscores[0,2,1] (layer 1)")


def test_a_step_leads_to_its_stop(open_walk):
    walk = open_walk(EXAMPLE, reduced_motion="reduce")
    loop(walk).get_by_role("button", name="Softmax", exact=True).click()
    expect(walk.page.get_by_role("heading", name="Softmax: scores become weights")).to_be_in_viewport()
    assert "Softmax" in walk.focus_text()


def test_the_arithmetic_of_a_gradient_unfolds_the_gradients_it_is_made_of(open_walk):
    walk = open_walk(EXAMPLE, reduced_motion="reduce")
    loop(walk).get_by_role("button", name="dscores").click()
    panel = walk.open_cell("backwards-scores/dscores/0", 2, 1, "dscores[0,2,1] (layer 1)")
    panel.get_by_role("button", name="dscaled[0,2,1]").first.click()
    walk.arithmetic("dscaled[0,2,1] (layer 1)").wait_for()
    opened = walk.page.locator('td[aria-selected="true"]').filter(visible=True).first
    expect(opened).to_be_in_viewport()


@pytest.mark.parametrize("width", [375, 1400])
def test_the_map_fits_the_window(open_walk, width):
    walk = open_walk(EXAMPLE, viewport={"width": width, "height": 800})
    for button in loop(walk).get_by_role("button").all():
        box = button.bounding_box()
        assert box is not None
        assert min(box["height"], box["width"]) >= 24
    assert walk.overflow() == 0
