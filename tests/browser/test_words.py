"""Words are text: markup stays text, and no script, length or direction of writing breaks the page."""

import pytest
from playwright.sync_api import expect

MARKUP = [
    "<img src=x onerror=alert(1)>",
    '"><script>alert(1)</script>',
    "javascript:alert(1)",
    "&lt;b&gt;",
    "</td><td>",
]
ODD = {
    "right to left": "שלום",
    "right to left, joined": "مرحبا",
    "CJK": "注意力機制",
    "emoji": "👩‍👩‍👧‍👦",
    "combining": "e\u0301\u0323\u0300" * 8,
    "very long": "Donaudampfschifffahrtsgesellschaft" * 12,
    "override": "abc\u202edef",
    "spaces inside": "New York",
}
ELEMENTS = "[...document.querySelectorAll('*')].map((element) => element.localName)"


@pytest.mark.parametrize("word", MARKUP)
def test_markup_in_a_word_is_text_on_every_surface_of_the_page(open_walk, word):
    walk = open_walk("example=three-words")
    walk.add_word(word)
    assert walk.words()[-1] == word
    walk.open_cell("softmax/weights/0", 3, 3, "weights[0,3,3]")
    expect(walk.arithmetic("weights[0,3,3]")).to_contain_text(f"“{word}”")
    walk.page.get_by_role("button", name="type its row").click()
    expect(walk.page.get_by_role("dialog")).to_contain_text(word)
    walk.press("Escape")
    walk.page.get_by_role("button", name="copy as Python").click()
    expect(walk.page.get_by_label("the script")).to_contain_text("import numpy")
    walk.press("Escape")
    elements = set(walk.page.evaluate(ELEMENTS))
    assert elements.isdisjoint({"img", "b", "iframe"})
    assert walk.page.evaluate("document.querySelectorAll('script').length") == 1
    assert (
        walk.page.evaluate("[...document.querySelectorAll('*')].some((one) => one.hasAttribute('onerror'))")
        is False
    )


def test_markup_in_a_link_is_text(open_walk):
    word = "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E"
    walk = open_walk(f"example=three-words&tokens=cats,{word}&rows={word}:1:0:0:1&mask=%3Cb%3E")
    assert walk.words() == ["cats", "<img src=x onerror=alert(1)>"]
    assert any("%3Cb%3E" in text or "<b>" in text for text in walk.messages())
    assert "img" not in walk.page.evaluate(ELEMENTS)


@pytest.mark.parametrize("width", [375, 1400])
def test_odd_words_do_not_break_the_layout(open_walk, width):
    walk = open_walk("example=three-words", viewport={"width": width, "height": 800})
    for word in ODD.values():
        walk.add_word(word)
    assert len(walk.words()) == 3 + len(ODD)
    assert walk.overflow() == 0
    walk.open_cell("softmax/weights/0", 8, 8, "weights[0,8,8]")
    assert walk.overflow() == 0
    heights = (
        walk.matrix("softmax/weights/0")
        .locator("tbody tr")
        .evaluate_all("(rows) => rows.map((row) => row.getBoundingClientRect().height)")
    )
    assert max(heights) <= 2 * min(heights)


def test_what_turns_the_direction_of_text_is_made_visible(open_walk):
    walk = open_walk("example=three-words")
    walk.add_word(ODD["override"])
    assert walk.words()[-1] == "abc‹U+202E›def"


def test_a_word_that_e_does_not_know_brings_a_row_that_can_be_typed(open_walk):
    walk = open_walk("example=three-words")
    walk.add_word("foxes")
    [message] = walk.messages()
    assert "“foxes” is new" in message
    assert message.count("suggestion") == 1
    row = walk.numbers("embeddings/E/all")[-1]
    walk.page.get_by_role("button", name="type its row").click()
    dialog = walk.page.get_by_role("dialog", name="The row of “foxes” in E")
    field = dialog.get_by_role("textbox")
    field.fill("1 2 3")
    field.press("Enter")
    expect(dialog.get_by_role("alert")).to_have_text(
        "The row has 3 numbers, and d_model is 4: 4 were expected."
    )
    field.fill("1 2 3 −4")
    with walk.redrawn():
        field.press("Enter")
    assert walk.numbers("embeddings/E/all")[-1] == ["1.00", "2.00", "3.00", "−4.00"]
    # The same word gets the same suggestion again.
    again = open_walk("example=three-words")
    again.add_word("foxes")
    assert again.numbers("embeddings/E/all")[-1] == row


def test_the_last_word_stays(open_walk):
    walk = open_walk("example=three-words&tokens=cats")
    walk.page.get_by_role("button", name="position 0, cats, edit").click()
    expect(walk.page.get_by_role("button", name="remove cats")).to_be_disabled()
    assert walk.number("softmax/weights/0", 0, 0) == "1.00"
