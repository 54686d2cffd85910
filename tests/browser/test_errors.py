"""An input that cannot be computed: one sentence, the last good picture, and a way back."""

from playwright.sync_api import expect


def test_an_overflow_keeps_the_last_good_picture_and_undo_mends_it(open_walk):
    walk = open_walk("example=three-words")
    good = walk.numbers("scores/scores/0")
    walk.type_into("embeddings/E/all", 0, 0, "1e308")
    alert = walk.page.get_by_role("region", name="messages").get_by_role("alert")
    expect(alert).to_contain_text("too large for float64")
    expect(alert).to_contain_text("Not possible")
    assert walk.numbers("scores/scores/0") == good
    assert "1e%2B308" in walk.fragment or "1e+308" in walk.fragment
    with walk.redrawn():
        alert.get_by_role("button", name="undo the last change").click()
    expect(alert).to_have_count(0)
    assert "edits" not in walk.fragment


def test_an_open_cell_survives_a_mistake(open_walk):
    walk = open_walk("example=three-words")
    panel = walk.open_cell("scores/scores/0", 0, 2, "scores[0,0,2]")
    shown = panel.inner_text()
    walk.type_into("embeddings/E/all", 0, 0, "1e308")
    alert = walk.page.get_by_role("region", name="messages").get_by_role("alert")
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
