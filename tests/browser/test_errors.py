"""An input that cannot be computed: one sentence, the last good picture, and a way back."""

import re

from playwright.sync_api import expect


def test_an_overflow_keeps_the_last_good_picture_and_undo_mends_it(open_walk):
    walk = open_walk("example=three-words")
    good = walk.numbers("scores/scores/0")
    walk.type_into("embeddings/E/all", 0, 0, "1e308")
    alert = walk.alert
    expect(alert).to_contain_text("too large for float64")
    expect(alert).to_contain_text("Not possible")
    assert walk.numbers("scores/scores/0") == good
    # What was typed stands where it was typed, and says that nothing was computed with it.
    typed = walk.cell("embeddings/E/all", 0, 0)
    expect(typed).to_have_accessible_name(re.compile(r"1\.0e308, not computed yet"))
    expect(typed).to_have_class(re.compile("pending"))
    assert walk.number("embeddings/E/all", 0, 0) == "1.0e308"
    assert "1e%2B308" in walk.fragment or "1e+308" in walk.fragment
    with walk.redrawn():
        alert.get_by_role("button", name="undo the last change").click()
    expect(alert).to_have_count(0)
    expect(typed).not_to_have_class(re.compile("pending"))
    assert walk.number("embeddings/E/all", 0, 0) == "1.00"
    assert "edits" not in walk.fragment


def test_a_link_to_a_number_that_is_too_large_shows_it_beside_the_example(open_walk):
    walk = open_walk("example=three-words&edits=E:cats:0:1e308")
    expect(walk.cell("embeddings/E/all", 0, 0)).to_have_accessible_name(re.compile("not computed yet"))
    assert walk.number("embeddings/E/all", 0, 0) == "1.0e308"


def test_further_numbers_wait_beside_the_one_that_is_too_large(open_walk):
    walk = open_walk("example=three-words")
    walk.type_into("embeddings/E/all", 0, 0, "1e308")
    expect(walk.cell("embeddings/E/all", 0, 0)).to_have_class(re.compile("pending"))
    walk.type_into("projections/W_Q/all", 1, 1, "7")
    expect(walk.cell("projections/W_Q/all", 1, 1)).to_have_accessible_name(
        re.compile("7.00, not computed yet")
    )
    walk.edit("embeddings/E/all", 0, 0, "2")
    assert walk.page.locator("td.pending").count() == 0
    assert walk.number("embeddings/E/all", 0, 0) == "2.00"
    assert walk.number("projections/W_Q/all", 1, 1) == "7.00"


def test_an_open_cell_survives_a_mistake(open_walk):
    walk = open_walk("example=three-words")
    panel = walk.open_cell("scores/scores/0", 0, 2, "scores[0,0,2]")
    shown = panel.inner_text()
    walk.type_into("embeddings/E/all", 0, 0, "1e308")
    alert = walk.alert
    expect(alert).to_be_visible()
    with walk.redrawn():
        walk.history("undo").click()
    walk.cell("scores/scores/0", 0, 2).click()
    expect(walk.arithmetic("scores[0,0,2]")).to_be_visible()
    assert walk.arithmetic("scores[0,0,2]").inner_text() == shown


def test_a_cell_that_a_change_takes_away_closes_with_a_sentence(open_walk):
    walk = open_walk("example=three-words&tokens=cats,chase,mice,dogs")
    walk.open_cell("softmax/weights/0", 3, 3, "weights[0,3,3]")
    walk.page.get_by_role("button", name="position 3, dogs, edit").click()
    with walk.redrawn():
        walk.page.get_by_role("button", name="remove dogs").click()
    expect(walk.page.get_by_role("status").filter(has_text="There is no cell weights[0,3,3]")).to_be_visible()
    expect(walk.arithmetic("weights[0,3,3]")).to_be_hidden()
    assert walk.messages() == [
        "Note: There is no cell weights[0,3,3] in this picture, so no arithmetic is open."
    ]
