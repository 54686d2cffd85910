"""What an example says of itself is told as its own as soon as anything is changed."""

import pytest
from playwright.sync_api import expect

TITLE = "Cats chase mice"
LOOK_FOR = "Every word puts its largest weight on a different word"
LABEL = "About the example as it came:"


def change_word(walk):
    walk.add_word("cats")


def change_entry(walk):
    walk.edit("embeddings/E/all", 0, 0, "3")


def change_switch(walk):
    walk.switch("mask", "causal")


@pytest.mark.parametrize("change", [change_word, change_entry, change_switch])
def test_after_a_change_the_sentence_is_about_the_example_as_it_came(open_walk, change):
    walk = open_walk("example=three-words")
    lede = walk.page.locator(".lede")
    label = walk.page.get_by_text(LABEL)
    expect(walk.page.get_by_role("heading", level=1)).to_have_text(TITLE)
    expect(lede).to_contain_text(LOOK_FOR)
    expect(label).to_be_hidden()
    change(walk)
    expect(label).to_be_visible()
    expect(lede).to_contain_text(f"{LABEL} {LOOK_FOR}")
    expect(walk.page).to_have_title("Clearhead")
    with walk.redrawn():
        walk.page.get_by_role("button", name="reset").click()
    expect(label).to_be_hidden()


@pytest.mark.parametrize("change", ["tokens=cats,mice", "rows=cats:1:2:3:4", "edits=E:cats:0:9", "scale=0"])
def test_a_link_to_a_changed_example_says_so_from_the_start(open_walk, change):
    walk = open_walk(f"example=three-words&{change}")
    expect(walk.page.get_by_text(LABEL)).to_be_visible()
