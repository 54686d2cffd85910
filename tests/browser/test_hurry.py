"""Somebody in a hurry: many changes before the first answer. The last one counts, and none is lost."""

import itertools

from playwright.sync_api import expect

import clearhead as ch
from clearhead.trace.notation.numbers import format_number


def test_edits_undos_and_switches_without_waiting_end_in_the_right_picture(open_walk):
    walk = open_walk("example=three-words")
    first = walk.cell("embeddings/E/all", 0, 0)
    first.focus()
    for value in "23456789":
        walk.press(value, "Enter")
    walk.press(*["Control+z"] * 5, "Control+y")
    for choice in ("causal", "none", "causal"):
        walk.choose(walk.choice("mask", choice))
    example = ch.load("three-words")
    rows = {**example.E, "cats": [5, *example.E["cats"][1:]]}
    own = ch.Example(
        tokens=example.tokens, E=rows, W_Q=example.W_Q, W_K=example.W_K, W_V=example.W_V, positions="none"
    )
    weights = ch.run(own, mask="causal")["weights"].values[0]
    wanted = [[format_number(float(value)) for value in row] for row in weights]
    for row, column in itertools.product(range(3), repeat=2):
        number = walk.cell("softmax/weights/0", row, column).locator(".number:not(.difference)")
        expect(number).to_have_text(wanted[row][column])
    expect(first.locator(".number:not(.difference)")).to_have_text("5.00")


def test_cells_opened_without_waiting_end_in_the_last_one(open_walk):
    walk = open_walk()
    walk.cell("scores/scores/0", 0, 0).click()
    walk.press(*["ArrowRight"] * 4, *["ArrowDown"] * 3, "ArrowLeft")
    walk.arithmetic("scores[0,3,3]").wait_for()
    expect(walk.page.locator("td.opened").filter(visible=True).first).to_have_attribute(
        "aria-selected", "true"
    )
    assert set(walk.page.locator("td.opened").evaluate_all("(all) => all.map((one) => one.cellIndex)")) == {4}


def test_the_longest_sentence_is_drawn_and_one_more_word_is_one_sentence(open_walk):
    words = ["the", "dog", "chased", "cat"]
    walk = open_walk("example=the-dog-chased-the-cat&tokens=" + ",".join(words * 16))
    assert len(walk.numbers("softmax/weights/0")) == 64
    assert walk.overflow() == 0
    sentence = walk.page.get_by_role("group", name="the sentence")
    sentence.get_by_role("button", name="+ word").click()
    sentence.get_by_role("textbox", name="new word").fill("dog")
    sentence.get_by_role("textbox", name="new word").press("Enter")
    alert = walk.alert
    expect(alert).to_contain_text("the sentence has 65 words; the walkthrough takes up to 64")
    assert len(walk.numbers("softmax/weights/0")) == 64
