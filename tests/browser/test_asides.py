"""What scaling is for, and what each position really added: one row compared, on the numbers at hand."""

import numpy as np
import pytest
from playwright.sync_api import expect

import clearhead as ch
from clearhead.trace.notation.numbers import format_number


def choose_row(walk, aside, row):
    radio = walk.stop(aside).get_by_role("group", name="The row of").get_by_role("radio").nth(row)
    with walk.redrawn():
        walk.choose(radio)


def shown_as(values):
    return [[format_number(float(value)) for value in row] for row in values]


@pytest.mark.parametrize("scale", ["1", "0"])
def test_the_same_row_with_and_without_the_division_and_how_strongly_it_reacts(open_walk, scale):
    walk = open_walk(f"example=the-dog-chased-the-cat&scale={scale}")
    choose_row(walk, "What is the scaling for?", 3)
    example = ch.load("the-dog-chased-the-cat")
    rows = np.array([ch.run(example, scale=divided)["weights"].values[0, 3] for divided in (True, False)])
    assert walk.numbers("scaling/weights/0") == shown_as(rows)
    assert walk.numbers("scaling/sensitivity/0") == shown_as(rows * (1 - rows))


def test_what_each_position_added_to_a_row_adds_up_to_it(open_walk):
    walk = open_walk("example=two-heads&digits=full")
    choose_row(walk, "How much did each position really add?", 2)
    added = np.array(walk_numbers(walk, "contribution/contribution/all"))
    output = np.array(walk_numbers(walk, "output/output/all"))[2]
    assert np.allclose(added.sum(axis=0), output, rtol=0, atol=1e-12)
    sizes = walk_numbers(walk, "contribution/size")[0]
    assert np.allclose(sizes, np.linalg.norm(added, axis=1), rtol=0, atol=1e-12)
    shares = np.array(walk_numbers(walk, "contribution/share")[0])
    assert abs(shares.sum() - 1) < 1e-12
    assert np.allclose(shares, added @ output / (output @ output), rtol=0, atol=1e-12)
    assert walk.numbers("contribution/weights") == [
        walk.numbers(f"softmax/weights/{head}")[2] for head in (0, 1)
    ]
    expect(walk.page.locator(".row-picker input:checked").first).to_have_value("2")


def walk_numbers(walk, key):
    return [[float(text.replace("−", "-")) for text in row] for row in walk.numbers(key)]
