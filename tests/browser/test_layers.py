"""A model of several layers: one is shown, the other a choice away, and the arithmetic leads from one to the other."""

import pytest
from playwright.sync_api import expect

EXAMPLE = "example=mary-saw-tom"


def picker(walk):
    return walk.page.get_by_role("group", name="layer", exact=True)


def tag(walk, key):
    return walk.matrix(key).locator(".matrix-shape").text_content() or ""


def test_another_layer_is_chosen_in_the_bar_and_stands_in_the_address(open_walk):
    walk = open_walk(EXAMPLE)
    assert tag(walk, "scores/scores/0").startswith("layer 0")
    first = walk.numbers("scores/scores/0")
    with walk.redrawn():
        walk.choose(picker(walk).get_by_role("radio", name="layer 1"))
    assert tag(walk, "scores/scores/0").startswith("layer 1")
    assert walk.numbers("scores/scores/0") != first
    assert "layer=1" in walk.fragment
    again = open_walk(walk.fragment)
    assert again.numbers("scores/scores/0") == walk.numbers("scores/scores/0")
    expect(picker(again).get_by_role("radio", name="layer 1")).to_be_checked()


def test_one_layer_has_nothing_to_choose(open_walk):
    walk = open_walk("example=three-words")
    expect(picker(walk)).to_have_count(0)


def test_the_arithmetic_leads_into_the_layer_before(open_walk):
    walk = open_walk(f"{EXAMPLE}&layer=1", reduced_motion="reduce")
    panel = walk.open_cell("embeddings/X/all", 2, 1, "X[2,1] (layer 1)")
    with walk.redrawn():
        panel.get_by_role("button", name="hidden[2,1] (layer 0)").click()
    walk.arithmetic("hidden[2,1] (layer 0)").wait_for()
    expect(picker(walk).get_by_role("radio", name="layer 0")).to_be_checked()
    assert "cell=layer0.hidden:2:1" in walk.fragment
    opened = walk.cell("next-layer/hidden/all", 2, 1)
    expect(opened).to_have_attribute("aria-selected", "true")
    expect(opened).to_be_in_viewport()


def test_an_open_cell_goes_along_into_the_other_layer(open_walk):
    walk = open_walk(EXAMPLE)
    walk.open_cell("softmax/weights/0", 3, 1, "weights[0,3,1] (layer 0)")
    with walk.redrawn():
        walk.choose(picker(walk).get_by_role("radio", name="layer 1"))
    walk.arithmetic("weights[0,3,1] (layer 1)").wait_for()
    expect(walk.cell("softmax/weights/0", 3, 1)).to_have_attribute("aria-selected", "true")


def test_an_edit_is_made_in_the_layer_that_is_shown(open_walk):
    walk = open_walk(f"{EXAMPLE}&layer=1")
    before = walk.numbers("projections/W_Q/all")[1][2]
    walk.edit("projections/W_Q/all", 1, 2, "0.75")
    assert walk.numbers("projections/W_Q/all")[1][2] == "0.75" != before
    assert "edits=layer1.W_Q:1:2:0.75" in walk.fragment
    with walk.redrawn():
        walk.choose(picker(walk).get_by_role("radio", name="layer 0"))
    expect(walk.matrix("projections/W_Q/all").locator("td.changed")).to_have_count(0)


@pytest.mark.parametrize("width", [375, 1400])
def test_the_choice_can_be_made_with_the_keyboard_and_fits_the_bar(open_walk, width):
    walk = open_walk(EXAMPLE, viewport={"width": width, "height": 800})
    walk.tab_to(picker(walk).get_by_role("radio", name="layer 0"))
    with walk.redrawn():
        walk.press("ArrowRight")
    expect(picker(walk).get_by_role("radio", name="layer 1")).to_be_checked()
    expect(picker(walk)).to_be_in_viewport()
    assert walk.overflow() == 0
