"""An induction head that forms while one watches, and a page that answers meanwhile."""

import re

import pytest
from playwright.sync_api import expect

EXAMPLE = "example=only-looking-back"
LONG = 90_000
"""Milliseconds that a training may take on a busy machine; a page that waits less than that fails for no reason."""


def part(walk):
    return walk.stop("Watch a head come into being")


def says(walk):
    return part(walk).locator(".live-says")


def train(walk):
    part(walk).get_by_role("button", name="train").click()
    expect(says(walk)).to_contain_text("Step")


def pause(walk):
    """At once, if it is not over yet: on a busy machine the training may end before a press arrives."""
    part(walk).get_by_role("button", name=re.compile("pause|train again")).evaluate(
        "(button) => button.textContent === 'pause' && button.click()"
    )


def step(walk):
    return int(re.search(r"Step (\d+)", says(walk).inner_text()).group(1))


def best_score(walk):
    return float(part(walk).locator(".best-head figcaption").inner_text().rpartition("score ")[2])


def test_a_head_forms_and_looks_where_it_should(open_walk):
    walk = open_walk(EXAMPLE)
    train(walk)
    expect(part(walk).get_by_role("button", name="train again")).to_be_visible(timeout=LONG)
    assert best_score(walk) > 0.8
    part(walk).locator("summary").click()
    rows = part(walk).locator(".where-it-looks tbody tr")
    looks = [[cell.inner_text() for cell in row.locator("td").all()] for row in rows.all()]
    wanted = [(at, target) for at, _, target in looks if target != "–"]
    assert len(wanted) > 5
    assert sum(at == target for at, target in wanted) >= 0.8 * len(wanted)


def test_the_page_answers_while_it_trains(open_walk):
    walk = open_walk(EXAMPLE)
    train(walk)
    walk.edit("embeddings/E/all", 0, 0, "0.5")
    assert walk.numbers("embeddings/E/all")[0][0] == "0.50"
    walk.open_cell("softmax/weights/0", 2, 1, "weights[0,2,1]")


def test_it_pauses_goes_on_and_starts_over(open_walk):
    walk = open_walk(EXAMPLE)
    train(walk)
    pause(walk)
    # One request may still be on its way; after its answer nothing moves any more.
    walk.page.wait_for_timeout(1500)
    reached = step(walk)
    walk.page.wait_for_timeout(1000)
    assert step(walk) == reached
    train(walk)
    expect(says(walk)).not_to_contain_text(f"Step {reached} ")
    part(walk).get_by_role("button", name="start over").click()
    expect(says(walk)).to_contain_text("Step 0 ")


def test_another_setting_is_another_model_from_its_beginning(open_walk):
    walk = open_walk(EXAMPLE)
    train(walk)
    pause(walk)
    layers = part(walk).get_by_role("group", name="layers")
    walk.choose(layers.get_by_role("radio", name="1"))
    expect(says(walk)).to_contain_text("Step 0 ")
    expect(part(walk).locator("figure.head")).to_have_count(2)


@pytest.mark.parametrize("seed", ["-1", "1.5", "many"])
def test_a_seed_that_is_none_is_told_in_one_sentence(open_walk, seed):
    walk = open_walk(EXAMPLE)
    field = part(walk).get_by_role("textbox", name="seed")
    field.fill(seed)
    field.press("Tab")
    expect(part(walk).get_by_role("alert")).to_contain_text(f"“{seed}” was given, and a whole number from 0")
