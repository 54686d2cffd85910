"""Practice: the numbers from a stop on are hidden, a person says what comes, and is told."""

import re

from playwright.sync_api import expect

PLACE = "example=three-words"
ASKED = "What comes here?"
# by hand: the queries are (−2, 0), (2, 0), (0, 2), the keys (1, 0), (0, 1), (−1, 0), and √d_head is √2


def practise(walk, stop, button="practise from here"):
    section = walk.page.locator(f"[data-stop={stop}]")
    section.get_by_role("button", name=button).click()
    return section


def predict(walk, typed):
    box = walk.page.get_by_label(ASKED)
    box.fill(typed)
    box.press("Enter")


def test_the_numbers_from_a_stop_on_are_hidden_and_those_before_are_not(open_walk):
    walk = open_walk(PLACE)
    practise(walk, "scores")
    hidden = walk.page.locator("[data-stop=scores] td.to-predict")
    expect(hidden).to_have_count(9)
    assert set(hidden.all_inner_texts()) == {"?"}
    assert walk.numbers("scores/Q/0")[0] == ["−2.00", "0"]
    expect(walk.page.locator("[data-stop=softmax] td.to-predict")).to_have_count(18)
    practise(walk, "scores", "stop practising")
    expect(walk.page.locator(".to-predict")).to_have_count(0)


def test_nothing_that_would_tell_hidden_numbers_is_offered(open_walk):
    walk = open_walk("example=mary-saw-tom")
    hidden = walk.page.locator(".matrix:has(td.to-predict)")
    words = walk.page.locator("[data-stop=next-word] .ranking")
    expect(words).to_be_visible()
    practise(walk, "softmax")
    expect(hidden.first).to_be_attached()
    expect(hidden.locator(".matrix-actions button")).to_have_count(0)
    expect(walk.page.locator("[data-stop=scores] > .stop-matrices .matrix-actions button")).to_have_count(9)
    expect(words).to_be_hidden()


def test_a_right_number_uncovers_the_cell_and_its_arithmetic(open_walk):
    walk = open_walk(PLACE)
    section = practise(walk, "scores")
    section.locator("td.to-predict").first.click()
    panel = walk.page.get_by_role("region", name="arithmetic of scores[0,0,0]")
    expect(panel.get_by_label(ASKED)).to_be_visible()
    expect(panel).not_to_contain_text("−2.00")
    expect(panel.get_by_role("button", name="copy as text")).to_be_hidden()
    predict(walk, "-2")
    expect(panel).to_contain_text("−2.00")
    expect(panel.get_by_label(ASKED)).to_have_count(0)
    expect(section.locator("td.to-predict")).to_have_count(8)


def test_a_known_mistake_is_named_and_the_number_stays_hidden(open_walk):
    """What is not divided by √2 is −2.00 where −1.41 is right."""
    walk = open_walk(PLACE)
    practise(walk, "scale").locator("td.to-predict").first.click()
    predict(walk, "-2")
    said = walk.page.locator(".practice-said")
    expect(said).to_have_attribute("data-verdict", "mistake")
    expect(said).to_contain_text(re.compile("scal|divided|√"))
    expect(said).not_to_contain_text("1.41")
    expect(walk.page.get_by_label(ASKED)).to_have_value("-2")
    walk.page.get_by_role("button", name="show the arithmetic").click()
    expect(walk.page.get_by_role("region", name="arithmetic of scaled[0,0,0]")).to_contain_text("−1.41")


def test_what_is_no_number_is_said(open_walk):
    walk = open_walk(PLACE)
    practise(walk, "scale").locator("td.to-predict").first.click()
    said = walk.page.locator(".practice-said")
    predict(walk, "-2")
    expect(said).to_have_attribute("data-verdict", "mistake")
    for typed in ("two", ""):
        predict(walk, typed)
        expect(said).to_have_text("Type a number, such as 0.25 or −2.")
        expect(walk.page.get_by_label(ASKED)).to_have_attribute("aria-invalid", "true")
    expect(walk.page.locator(".notice")).to_have_count(0)
    predict(walk, "-1.41")
    expect(walk.page.get_by_label(ASKED)).to_have_count(0)


def test_a_link_reproduces_it_and_a_change_hides_all_again(open_walk):
    walk = open_walk(f"{PLACE}&practice=softmax&cell=weights:0:1:2")
    expect(walk.page.get_by_label(ASKED)).to_be_visible()
    walk.page.get_by_role("button", name="show the arithmetic").click()
    hidden = walk.page.locator("[data-stop=softmax] td.to-predict")
    expect(hidden).to_have_count(8)
    walk.page.locator(".intro").get_by_role("radio", name="causal").check(force=True)
    expect(hidden).to_have_count(9)


def test_a_screen_reader_is_told_no_number(open_walk):
    walk = open_walk(PLACE)
    section = practise(walk, "scores")
    cell = section.locator("td.to-predict").first
    expect(cell).to_have_attribute("aria-label", "scores, query 0 cats, key 0 cats, to be predicted")
    cell.click()
    status = walk.page.locator(".arithmetic-host > [role=status]").first
    expect(status).to_have_text("scores[0,0,0], head 0, query 0 “cats”, key 0 “cats”: what comes here?")
