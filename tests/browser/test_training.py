"""Training, watched: the loss, the slider under which the whole page follows, play and pause, and what goes wrong."""

import re

import pytest
from playwright.sync_api import expect

EXAMPLE = "example=the-dog-chased-the-cat&digits=full"


def part(walk):
    return walk.stop("Training")


def train(walk, rate="0.05", steps="7", optimizer="SGD"):
    walk.choose(part(walk).get_by_role("radio", name=optimizer))
    part(walk).get_by_role("textbox", name="learning rate").fill(rate)
    part(walk).get_by_role("textbox", name="steps").fill(steps)
    with walk.redrawn():
        part(walk).get_by_role("button", name="train").click()
    expect(readout(walk)).to_contain_text("step")


def readout(walk):
    return walk.page.locator(".player-readout")  # of a training that a link leads to it stands at the top


def go(walk, step):
    with walk.redrawn():
        part(walk).get_by_role("slider", name="step of the training").fill(str(step))
    expect(readout(walk)).to_contain_text(f"step {step} of")


def told_loss(walk):
    return re.search(r"loss (\S+)", readout(walk).inner_text()).group(1)


def test_the_whole_page_follows_the_slider(open_walk):
    walk = open_walk(EXAMPLE)
    given = walk.numbers("embeddings/E/all")
    losses = []
    train(walk)
    for step in (7, 3, 0):
        if step != 7:
            go(walk, step)
        # The loss of the curve is the loss that the page works out from the weights of that step.
        assert walk.numbers("loss/loss/all") == [[told_loss(walk)]]
        losses.append(float(told_loss(walk)))
        assert (walk.numbers("embeddings/E/all") == given) is (step == 0)
    assert losses == sorted(losses), "at this rate every step makes the loss smaller"
    go(walk, 3)
    # One update further on stand the numbers that the update of this step works out.
    following = walk.numbers("update/E_next/all")
    go(walk, 4)
    assert walk.numbers("embeddings/E/all") == following


@pytest.mark.parametrize("optimizer", ["momentum", "AdamW"])
def test_every_optimiser_is_worked(open_walk, optimizer):
    walk = open_walk(EXAMPLE)
    train(walk, optimizer=optimizer)
    go(walk, 2)
    following = walk.numbers("update/E_next/all")
    go(walk, 3)
    assert walk.numbers("embeddings/E/all") == following


def test_a_link_leads_to_the_same_step(open_walk):
    walk = open_walk(EXAMPLE)
    train(walk)
    go(walk, 5)
    walk.page.wait_for_function("() => location.hash.includes('step=5')")
    again = open_walk(walk.fragment)
    expect(readout(again)).to_have_text(readout(walk).inner_text())
    assert again.numbers("embeddings/E/all") == walk.numbers("embeddings/E/all")


def test_it_plays_to_the_end_and_can_be_paused(open_walk):
    walk = open_walk(EXAMPLE)
    train(walk)
    part(walk).get_by_role("button", name="play").click()
    expect(readout(walk)).to_contain_text("step 7 of 7", timeout=30_000)
    expect(part(walk).get_by_role("button", name="play")).to_be_visible()
    slider = part(walk).get_by_role("slider", name="step of the training")
    slider.focus()
    walk.press("Space")
    expect(part(walk).get_by_role("button", name="pause")).to_be_visible()
    walk.press("Space")
    expect(part(walk).get_by_role("button", name="play")).to_be_visible()


def test_the_words_drift_and_their_cosines_with_them(open_walk):
    walk = open_walk(EXAMPLE)
    train(walk)
    after = walk.numbers("training/cosines/all")
    go(walk, 0)
    before = walk.numbers("training/cosines/all")
    assert before != after
    for i, row in enumerate(before):
        assert abs(float(row[i]) - 1) < 1e-12
        assert [cells[i] for cells in before] == row, "the cosine of two words is the same both ways"
    headers = walk.matrix("training/cosines/all").locator("tbody .header-word").all_text_contents()
    assert sorted(walk.page.locator(".scatter-word").all_text_contents()) == sorted(headers)
    assert set(walk.words()) <= set(headers)


@pytest.mark.parametrize(
    ("rate", "steps", "told"),
    [
        ("0", "7", "Learning rate: 0 is not above 0"),
        ("-1", "7", "Learning rate: -1 is not above 0"),
        ("0,1", "7", "“0,1” is not a number"),
        ("0.1", "0", "a whole number from 1"),
    ],
)
def test_what_cannot_be_trained_is_told_beside_the_button(open_walk, rate, steps, told):
    walk = open_walk(EXAMPLE)
    part(walk).get_by_role("textbox", name="learning rate").fill(rate)
    part(walk).get_by_role("textbox", name="steps").fill(steps)
    part(walk).get_by_role("button", name="train").click()
    expect(part(walk).get_by_role("alert")).to_contain_text(told)
    assert "training" not in walk.fragment


def test_a_training_that_diverges_keeps_its_last_good_step(open_walk):
    walk = open_walk(EXAMPLE)
    train(walk, rate="1e300", steps="9")
    expect(part(walk).locator(".notice")).to_be_visible()
    assert float(told_loss(walk)) < float("inf")
    assert walk.messages() == []


def test_undo_takes_the_way_of_the_slider_back_at_once(open_walk):
    walk = open_walk(EXAMPLE)
    given = walk.numbers("embeddings/E/all")
    train(walk)
    for step in (1, 2, 3):
        go(walk, step)
    with walk.redrawn():
        walk.history("undo").click()
    with walk.redrawn():
        walk.history("undo").click()
    assert walk.numbers("embeddings/E/all") == given


@pytest.mark.parametrize("width", [375, 1400])
def test_it_fits_the_window(open_walk, width):
    walk = open_walk(EXAMPLE, viewport={"width": width, "height": 800})
    train(walk)
    assert walk.overflow() == 0
