"""Switches recompute everything after them; what changed is marked and can be compared with before."""

import itertools
import re

import pytest
from playwright.sync_api import expect

import clearhead as ch
from clearhead.trace.notation.numbers import format_number

DOG = "the-dog-chased-the-cat"


def shown_as(values):
    return [[format_number(float(value)) for value in row] for row in values]


def agrees(walk, **variation):
    """Every step of the page after a switch is that of `ch.run` with the same variation."""
    trace = ch.run(ch.load(DOG), **variation)
    for stop, name in [("scores", "scores"), ("scale", "scaled"), ("mask", "masked"), ("softmax", "weights")]:
        for head, values in enumerate(trace[name].values):
            assert walk.numbers(f"{stop}/{name}/{head}") == shown_as(values), name
    assert walk.numbers("output/output/all") == shown_as(trace["output"].values)
    return trace


def test_a_repeated_word_has_two_colours_and_each_position_one_everywhere(open_walk):
    walk = open_walk()
    seen = walk.page.evaluate(
        """() => {
            const seen = {};
            for (const badge of document.querySelectorAll('.position-number')) {
                if (badge.closest('[data-stop=study]')) continue;  // its words are of other sentences
                const word = badge.parentElement.querySelector('.header-word, .position-word').textContent;
                (seen[`${badge.textContent} ${word}`] ??= []).push(getComputedStyle(badge).backgroundColor);
            }
            return seen;
        }"""
    )
    assert list(seen) == ["0 the", "1 dog", "2 chased", "3 the", "4 cat"]
    assert all(len(colours) > 30 and len(set(colours)) == 1 for colours in seen.values())
    assert len({colours[0] for colours in seen.values()}) == 5


def test_at_every_stop_the_rows_of_a_position_carry_its_colour(open_walk):
    walk = open_walk()
    # the other two come when they have been asked for
    stops = walk.page.locator("[data-stop]:not([data-stop='study'], [data-stop='model'])")
    colours = stops.evaluate_all(
        """(stops) => stops.map((stop) => [...stop.querySelectorAll('th .position-number')])
            .filter((badges) => badges.length > 0)
            .map((badges) => [3, 0].map((at) => getComputedStyle(
                badges.find((badge) => Number(badge.textContent) === at)).backgroundColor))"""
    )
    # From the embeddings to the loss: the update and what follows it is about words, not positions.
    assert len(colours) == stops.count() - 3
    assert len({tuple(pair) for pair in colours}) == 1
    assert colours[0][0] != colours[0][1]


def test_the_causal_mask_shows_minus_infinity_and_weights_of_exactly_nothing(open_walk):
    walk = open_walk()
    walk.switch("mask", "causal")
    agrees(walk, mask="causal")
    for row, column in itertools.product(range(5), repeat=2):
        assert (walk.number("mask/masked/0", row, column) == "−∞") is (column > row)
        assert (walk.number("softmax/weights/0", row, column) == "0") is (column > row)
    panel = walk.open_cell("softmax/weights/0", 0, 3, "weights[0,0,3]")
    expect(panel.locator(".result-value")).to_have_text("0")
    expect(panel).to_contain_text("−∞")


def test_masked_cells_have_a_pattern_and_say_that_they_are_masked(open_walk):
    walk = open_walk(
        "example=only-looking-back"
    )  # it comes with a mask, so that nothing is marked as changed
    for key in ("mask/masked/0", "softmax/weights/0"):
        cells = (
            walk.matrix(key)
            .locator("tbody td")
            .evaluate_all(
                "(cells) => cells.map((cell) => [getComputedStyle(cell).backgroundImage, cell.ariaLabel])"
            )
        )
        for at, (pattern, label) in enumerate(cells):
            masked = at % 4 > at // 4
            assert (pattern != "none") is masked
            assert ("masked," in f"{label.partition(',')[2]},") is masked


def test_masking_with_nothing_lets_the_future_leak(open_walk):
    walk = open_walk()
    expect(walk.choice("masked cells become", "0 (a mistake)")).to_have_count(0)  # until there is a mask
    walk.switch("mask", "causal")
    walk.switch("masked cells become", "0 (a mistake)")
    trace = agrees(walk, mask="causal", mask_fill="0")
    assert walk.number("mask/masked/0", 0, 3) == "0"
    assert trace["weights"].values[0, 0, 3] > 0.01
    assert walk.number("softmax/weights/0", 0, 3) != "0"


def test_without_the_scale_the_scaled_scores_are_the_scores(open_walk):
    walk = open_walk()
    walk.switch("divide by √d_head", "off")
    agrees(walk, scale=False)
    assert walk.numbers("scale/scaled/0") == walk.numbers("scale/scores/0")


@pytest.mark.parametrize("scheme", ["none", "rotary", "ALiBi"])
def test_every_position_scheme_redraws_the_page(open_walk, scheme):
    walk = open_walk()
    walk.switch("positions", scheme)
    agrees(walk, positions=scheme.lower())


def test_there_are_as_many_heads_as_divide_the_features(open_walk):
    walk = open_walk()
    heads = (
        walk.page.get_by_role("group", name="settings")
        .get_by_role("group", name="heads")
        .get_by_role("radio")
    )
    assert [radio.input_value() for radio in heads.all()] == ["1", "2"]
    walk.switch("heads", "2")
    agrees(walk, heads=2)
    expect(walk.matrix("softmax/weights/1")).to_be_visible()
    walk.switch("heads", "1")
    expect(walk.matrix("softmax/weights/1")).to_have_count(0)


def test_the_switch_at_its_stop_and_the_one_at_the_top_agree(open_walk):
    walk = open_walk()
    here = walk.stop("Mask").get_by_role("group", name="mask", exact=True).get_by_role("radio", name="causal")
    with walk.redrawn():
        walk.choose(here)
    expect(walk.choice("mask", "causal")).to_be_checked()
    walk.switch("mask", "none")
    expect(here).not_to_be_checked()


def test_what_changed_is_marked_and_compared_with_before(open_walk):
    before = ch.run(ch.load(DOG))["scores"].values[0]
    walk = open_walk()
    walk.edit("projections/W_Q/all", 3, 2, "2")  # feature 2 of every query
    changed = walk.page.locator("td.changed")
    assert changed.count() > 50
    expect(walk.cell("projections/W_Q/all", 3, 2)).to_have_class(re.compile(r"\bchanged\b"))
    expect(walk.cell("projections/W_Q/all", 3, 1)).not_to_have_class(re.compile(r"\bchanged\b"))
    expect(walk.cell("projections/K/0", 0, 0)).not_to_have_class(re.compile(r"\bchanged\b"))
    with walk.redrawn():
        walk.history("compare with before").click()
    difference = walk.cell("scores/scores/0", 1, 2).locator(".difference").text_content()
    # The same change, worked out here: the page shows now minus before.
    now = ch.run(ch.Example(**changed_example()))["scores"].values[0]
    shown = format_number(now[1, 2] - before[1, 2])
    assert difference.lstrip("+") == shown
    with walk.redrawn():
        walk.history("undo").click()
    assert walk.numbers("scores/scores/0") == shown_as(before)


def changed_example():
    example = ch.load(DOG)
    W_Q = example.W_Q.copy()
    W_Q[3, 2] = 2
    return {
        "tokens": example.tokens,
        "E": example.E,
        "W_Q": W_Q,
        "W_K": example.W_K,
        "W_V": example.W_V,
        "W_O": example.W_O,
        "positions": "sinusoidal",
    }


def test_another_example_is_a_step_that_can_be_undone(open_walk):
    walk = open_walk()
    with walk.redrawn():
        walk.page.get_by_label("example", exact=True).select_option("two-heads")
    expect(walk.page.get_by_role("heading", level=1)).to_have_text("Small birds eat ripe berries")
    with walk.redrawn():
        walk.history("undo").click()
    expect(walk.page.get_by_role("heading", level=1)).to_have_text("The dog chased the cat")
