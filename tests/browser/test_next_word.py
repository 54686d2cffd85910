"""The words that could come next, likeliest first, and the way back to where their probabilities came from."""

import numpy as np
import pytest
from playwright.sync_api import expect

EXAMPLE = "example=mary-saw-tom"


def rows(walk):
    table = walk.stop("Next word").locator("table.ranking tbody tr")
    return [
        (
            row.locator("th").inner_text(),
            row.locator("button").evaluate("(one) => one.firstChild.textContent"),
        )
        for row in table.all()
    ]


def choose(walk, position):
    radio = walk.page.get_by_role("group", name="What comes after").get_by_role("radio").nth(position)
    if not radio.is_checked():
        with walk.redrawn():
            walk.choose(radio)


def test_the_words_of_a_position_are_ranked_by_the_matrix_above(open_walk):
    walk = open_walk(f"{EXAMPLE}&digits=full")
    choose(walk, 2)
    words = walk.matrix("next-word/probabilities/all").locator("thead .header-word").all_inner_texts()
    numbers = [float(text) for text in walk.numbers("next-word/probabilities/all")[2]]
    order = np.argsort([-number for number in numbers], kind="stable")
    assert [(word, float(text)) for word, text in rows(walk)] == [(words[i], numbers[i]) for i in order]
    assert abs(sum(numbers) - 1) < 1e-12


@pytest.mark.parametrize("position", [0, 3])
def test_the_word_that_comes_next_is_marked(open_walk, position):
    walk = open_walk(EXAMPLE)
    choose(walk, position)
    marked = walk.page.locator("table.ranking tr").filter(has_text="comes next")
    assert marked.locator("th").all_inner_texts() == [walk.words()[position + 1]]


def test_after_the_last_word_nothing_is_known_to_come(open_walk):
    walk = open_walk(EXAMPLE)
    choose(walk, len(walk.words()) - 1)
    expect(walk.page.locator("table.ranking tr").filter(has_text="comes next")).to_have_count(0)


def test_a_probability_opens_its_arithmetic(open_walk):
    walk = open_walk(EXAMPLE)
    choose(walk, 1)
    word, number = rows(walk)[0]
    walk.page.locator("table.ranking tbody button").first.click()
    panel = walk.page.get_by_role("region", name="arithmetic of probabilities[1,")
    expect(panel.locator(".result-value")).to_have_text(number)
    headers = walk.matrix("next-word/probabilities/all").locator("thead .header-word").all_inner_texts()
    opened = walk.cell("next-word/probabilities/all", 1, headers.index(word))
    expect(opened).to_have_attribute("aria-selected", "true")


def test_a_higher_temperature_evens_the_words_out(open_walk):
    walk = open_walk(f"{EXAMPLE}&digits=full")

    def spread():
        numbers = [float(text) for text in walk.numbers("next-word/probabilities/all")[0]]
        return max(numbers) - min(numbers)

    usual = spread()
    walk.switch("temperature", "2")
    assert spread() < usual
    walk.switch("temperature", "0.5")
    assert spread() > usual
