"""The bar at the top leads to the beginning of a step, whatever was drawn before, and the step can be used at once."""

import re

import pytest
from playwright.sync_api import expect

WORDS = 31
LONG = "example=the-dog-chased-the-cat&tokens=" + ",".join((["the", "dog", "chased", "cat"] * 8)[:WORDS])
"""As many words as make matrices larger than their boxes, to the right and downwards; more would change no height."""

RESTS_UNDER_THE_BAR = """
(id) => new Promise((resolve) => {
    const stop = document.querySelector(`[data-stop=${id}]`);
    const bar = () => document.querySelector('.walk-bar').getBoundingClientRect().bottom;
    const place = () => Math.round(stop.getBoundingClientRect().top - bar());
    let still = 0, last = NaN;
    const look = () => {
        still = place() === last ? still + 1 : 0;
        last = place();
        if (still < 20) requestAnimationFrame(look);
        else resolve(last);
    };
    look();
})
"""
"""How many pixels below the bar a stop begins, once the page has not moved for twenty frames."""

FRAMES = """
(count) => new Promise((resolve) => {
    const next = (left) => (left === 0 ? resolve() : requestAnimationFrame(() => next(left - 1)));
    next(count);
})
"""
"""Lets the browser draw this many frames."""


def step(walk, name):
    pipeline = walk.page.get_by_role("navigation", name="steps of attention")
    return pipeline.get_by_role("button", name=name, exact=True)


@pytest.mark.parametrize(("width", "height"), [(375, 800), (375, 667), (1400, 900)])
def test_a_cell_can_be_clicked_right_after_a_jump_to_its_step(open_walk, width, height):
    walk = open_walk(viewport={"width": width, "height": height})
    step(walk, "Scores").click()
    expect(step(walk, "Scores")).to_have_attribute("aria-current", "step")
    assert walk.page.evaluate(RESTS_UNDER_THE_BAR, "scores") == pytest.approx(0, abs=3)
    walk.open_cell("scores/scores/0", 1, 2, "scores[0,1,2]")
    expect(walk.cell("scores/scores/0", 1, 2)).to_have_attribute("aria-selected", "true")


@pytest.mark.parametrize("step_number", [1, 2, 4])
def test_a_cell_can_be_clicked_while_another_one_holds_the_focus(open_walk, step_number):
    walk = open_walk(viewport={"width": 375, "height": 667})
    stop = walk.page.locator("[data-stop]").nth(step_number)
    # No mouse has been here: the first press on the page is the one on the cell.
    stop.get_by_role("gridcell").first.evaluate("(cell) => cell.focus({ preventScroll: true })")
    stop.evaluate("(stop) => stop.scrollIntoView({ block: 'start', behavior: 'instant' })")
    cell = stop.get_by_role("gridcell").nth(7)
    walk.page.evaluate(FRAMES, 40)
    cell.click()
    expect(cell).to_have_attribute("aria-selected", "true")


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
@pytest.mark.parametrize(("name", "id"), [("Softmax", "softmax"), ("Scale", "scale")])
def test_the_first_jump_of_a_long_sentence_ends_at_the_step(open_walk, name, id, motion):
    walk = open_walk(LONG, reduced_motion=motion)
    step(walk, name).click()
    assert walk.page.evaluate(RESTS_UNDER_THE_BAR, id) == pytest.approx(0, abs=3)
    expect(step(walk, name)).to_have_attribute("aria-current", "step")


def test_who_scrolls_on_after_a_jump_is_not_pulled_back(open_walk):
    walk = open_walk(LONG, reduced_motion="reduce")
    step(walk, "Softmax").click()
    walk.page.mouse.move(300, 500)
    walk.page.mouse.wheel(0, -700)
    assert walk.page.evaluate(RESTS_UNDER_THE_BAR, "softmax") > 300


def test_a_matrix_larger_than_its_box_shows_that_there_is_more(open_walk):
    walk = open_walk(LONG)
    matrix = walk.matrix("softmax/weights/0")
    matrix.scroll_into_view_if_needed()
    frame = matrix.locator(".matrix-frame")
    expect(matrix.locator(".matrix-shape")).to_have_text(f"head 0 · {WORDS} × {WORDS}, scrolls")
    expect(frame).to_have_class(re.compile("more-after"))
    expect(frame).to_have_class(re.compile("more-below"))
    expect(frame).not_to_have_class(re.compile("more-before|more-above"))
    walk.cell("softmax/weights/0", WORDS - 1, WORDS - 1).evaluate(
        "(cell) => cell.scrollIntoView({ behavior: 'instant' })"
    )
    matrix.locator(".matrix-box").evaluate("(box) => box.scrollTo(box.scrollWidth, box.scrollHeight)")
    expect(frame).to_have_class("matrix-frame more-before more-above")


def test_a_matrix_that_fits_its_box_says_nothing_about_scrolling(open_walk):
    walk = open_walk("example=three-words")
    matrix = walk.matrix("scores/scores/0")
    matrix.scroll_into_view_if_needed()
    walk.page.evaluate(FRAMES, 3)
    expect(matrix.locator(".matrix-scrolls")).to_be_hidden()
    expect(matrix.locator(".matrix-frame")).to_have_class("matrix-frame")
