"""The address bar holds the exact state: a link reproduces it, and a bad link says what is wrong with it."""

import pytest
from playwright.sync_api import expect


def everything(walk):
    """All that a reader can tell two pages apart by, but for what a link cannot know: what was there before it."""
    return walk.page.evaluate(
        """() => ({
            numbers: [...document.querySelectorAll('figure.matrix')].map((figure) => [figure.dataset.key,
                ...[...figure.querySelectorAll('th, td .number:not(.difference)')].map((one) => one.textContent)]),
            marks: ['opened', 'source', 'feeds', 'masked'].map((mark) =>
                [mark, ...[...document.querySelectorAll(`td.${mark}`)].map((cell) =>
                    [cell.closest('figure').dataset.key, cell.parentElement.rowIndex, cell.cellIndex])]),
            checked: [...document.querySelectorAll('input:checked')].map((input) => input.value),
            words: [...document.querySelectorAll('.sentence .chip')].map((chip) => chip.textContent),
            arithmetic: document.querySelector('.arithmetic-body').textContent,
            pressed: [...document.querySelectorAll('[aria-pressed=true]')].map((button) => button.textContent),
        })"""
    )


def test_a_link_reproduces_the_exact_state_in_another_browser(open_walk):
    walk = open_walk()
    walk.edit("embeddings/E/all", 1, 2, "0.1")
    walk.edit("projections/W_K/all", 0, 3, "-1e-7")
    walk.add_word("sleepy & <b>")
    walk.switch("mask", "causal")
    walk.switch("masked cells become", "0 (a mistake)")
    walk.switch("heads", "2")
    walk.switch("divide by √d_head", "off")
    with walk.redrawn():
        walk.choose(walk.page.get_by_role("banner").get_by_role("radio", name="4", exact=True))
    with walk.redrawn():
        walk.history("compare with before").click()
    panel = walk.open_cell("scores/scores/1", 3, 1, "scores[1,3,1]")
    panel.get_by_role("button", name="where does it go").click()
    walk.page.locator("td.feeds").first.wait_for(state="attached")

    other = open_walk(walk.fragment)
    other.arithmetic("scores[1,3,1]").wait_for()
    other.page.locator("td.feeds").first.wait_for(state="attached")
    assert other.fragment == walk.fragment
    mine, theirs = everything(walk), everything(other)
    assert mine.keys() == theirs.keys()
    for part, seen in mine.items():
        assert theirs[part] == seen, part


def test_a_link_with_an_open_cell_leads_to_that_cell(open_walk):
    walk = open_walk("example=two-heads&cell=weights:1:2:1&digits=full")
    walk.arithmetic("weights[1,2,1]").wait_for()
    walk.page.wait_for_function(
        """() => [...document.querySelectorAll('td.opened')].some((cell) => {
            const { top, bottom } = cell.getBoundingClientRect();
            return cell.checkVisibility() && top >= 0 && bottom <= innerHeight;
        })"""
    )
    assert len(walk.number("softmax/weights/1", 2, 1)) > 10


BAD = [
    ("mask=diagonal&digits=3", "its mask says “diagonal” where none or causal was expected"),
    ("colour=red&digits=3", "its colour is not a field of this page"),
    ("edits=E:dog:2:many&digits=3", "its edits holds “many” where a finite number was expected"),
    ("heads=1.5&digits=3", "its heads holds “1.5” where a whole number from 0 was expected"),
    ("tokens=%E0%A4%A&digits=3", "its tokens holds “%E0%A4%A”, which is not percent-encoded text"),
]


@pytest.mark.parametrize(("fragment", "sentence"), BAD)
def test_what_cannot_be_read_is_told_in_one_sentence_and_the_rest_survives(open_walk, fragment, sentence):
    walk = open_walk(fragment)
    assert walk.messages() == [f"Note: Part of this link could not be read and was left out: {sentence}."]
    assert walk.number("embeddings/E/all", 0, 2) == "−0.500"


REFUSED = [
    ("example=the-dog-chased-the-cat&heads=3", "heads"),
    ("example=the-dog-chased-the-cat&tokens=the,unicorn", "unicorn"),
    ("example=the-dog-chased-the-cat&edits=W_Q:9:0:1", "W_Q"),
    ("example=the-dog-chased-the-cat&positions=learned", "P"),
    ("example=the-dog-chased-the-cat&tokens=", "tokens"),
    ("example=no-such-example", "no-such-example"),
    ("example=the-dog-chased-the-cat&tokens=" + ",".join(["dog"] * 200), "200"),
]


@pytest.mark.parametrize(("fragment", "named"), REFUSED)
def test_a_state_that_cannot_be_computed_is_one_sentence_with_a_way_out(open_walk, address, fragment, named):
    walk = open_walk(path="gallery")
    walk.page.goto(f"{address}#{fragment}")
    alert = walk.alert
    expect(alert).to_contain_text(named)
    alert.get_by_role("button", name="start from the example").click()
    expect(alert).to_have_count(0)
    expect(walk.matrix("output/output/all")).to_be_visible()


def test_another_link_opened_in_the_same_page_is_drawn_and_back_leads_back(open_walk):
    walk = open_walk("example=three-words")
    with walk.redrawn():
        walk.page.evaluate("location.hash = 'example=two-heads&mask=causal'")
    expect(walk.page.get_by_role("heading", level=1)).to_have_text("Small birds eat ripe berries")
    with walk.redrawn():
        walk.page.go_back()
    expect(walk.page.get_by_role("heading", level=1)).to_have_text("Cats chase mice")
    with walk.redrawn():
        walk.page.go_forward()
    expect(walk.page.get_by_role("heading", level=1)).to_have_text("Small birds eat ripe berries")
    assert walk.number("mask/masked/0", 0, 1) == "−∞"


def test_edits_do_not_fill_the_history_of_the_browser(open_walk):
    walk = open_walk("example=three-words")
    length = walk.page.evaluate("history.length")
    walk.edit("embeddings/E/all", 0, 0, "2")
    walk.switch("mask", "causal")
    assert walk.page.evaluate("history.length") == length


def test_two_tabs_do_not_know_of_each_other(open_walk):
    one = open_walk("example=three-words")
    page = one.page.context.new_page()
    page.goto(one.page.url)
    page.locator("[data-drawn]").wait_for()
    one.edit("embeddings/E/all", 0, 0, "2")
    other = page.locator('figure[data-key="embeddings/E/all"] tbody td').first
    expect(other).to_have_text("1.00")
    page.reload()
    expect(other).to_have_text("1.00")
    one.page.reload()
    one.page.locator("[data-drawn]").wait_for()
    assert one.number("embeddings/E/all", 0, 0) == "2.00"
