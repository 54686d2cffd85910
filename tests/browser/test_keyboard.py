"""One whole walk with the keyboard alone: from the skip link to the copied script, and not one click."""

import re

from playwright.sync_api import expect

STOPS = [
    ("Embeddings", "Input embeddings"),
    ("Q K V", "Queries, keys and values"),
    ("Scores", "Scores: every query meets every key"),
    ("Scale", "Scale"),
    ("Mask", "Mask"),
    ("Softmax", "Softmax: scores become weights"),
    ("Weighted sum", "Weighted sum of values"),
    ("Output", "Output"),
]
SENTENCE = ["the", "dog", "chased", "the", "cat"]


def test_a_whole_walk_with_the_keyboard_alone(open_walk):
    walk = open_walk()
    skip_to_the_walkthrough(walk)
    visit_every_stop(walk)
    open_a_score_and_go_down_to_a_row_of_e(walk)
    switch_the_causal_mask_on(walk)
    edit_a_number(walk)
    undo_redo_and_reset(walk)
    change_the_words(walk)
    look_at_the_script(walk)


def skip_to_the_walkthrough(walk):
    walk.press("Tab")
    skip = walk.page.get_by_role("link", name="skip to the walkthrough")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    walk.press("Enter")
    expect(walk.page.get_by_role("heading", level=1)).to_be_focused()


def visit_every_stop(walk):
    pipeline = walk.page.get_by_role("navigation", name="steps of attention")
    for number, (short, title) in enumerate(STOPS):
        step = pipeline.get_by_role("button", name=short, exact=True)
        walk.tab_to(step, "Tab" if number == 0 else "Shift+Tab")
        walk.press("Enter")
        heading = walk.page.get_by_role("heading", name=title, level=2, exact=True)
        expect(heading).to_be_focused()
        expect(heading).to_be_in_viewport()
        expect(step).to_have_attribute("aria-current", "step")


def open_a_score_and_go_down_to_a_row_of_e(walk):
    jump_to(walk, "Scores")
    scores = walk.stop("Scores: every query meets every key").get_by_role("grid", name=re.compile("^scores"))
    walk.tab_to(scores.get_by_role("gridcell").first)
    walk.press("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "Enter")
    walk.arithmetic("scores[0,3,1]").wait_for()
    walk.press("End")  # while a cell is open, the arithmetic follows the arrows
    walk.arithmetic("scores[0,3,4]").wait_for()
    walk.press("Home", "ArrowRight")
    walk.arithmetic("scores[0,3,1]").wait_for()
    walk.press("Enter")  # once more on the open cell: into its arithmetic
    panel = walk.page.get_by_role("region", name=re.compile("^arithmetic of"))
    expect(panel.get_by_role("heading", level=2)).to_be_focused()

    trail = ["scores[0,3,1]"]
    while not trail[-1].startswith("E["):
        assert len(trail) < 10, trail
        inside = panel.locator(".arithmetic-body").get_by_role("button").first
        walk.tab_to(inside, most=20)
        label = re.search(r"\S+\[[\d,]+\]", inside.get_attribute("aria-label"))[0]
        walk.press("Enter")
        walk.arithmetic(label).wait_for()
        expect(panel.get_by_role("heading", level=2)).to_be_focused()
        trail.append(label)
    assert [name.partition("[")[0] for name in trail] == [
        "scores", "Q", "XW_Q", "X", "embeddings_scaled", "embeddings", "E",
    ]  # fmt: skip
    crumbs = panel.get_by_role("navigation", name="opened cells").get_by_role("listitem")
    assert crumbs.all_inner_texts() == trail

    walk.press("Escape")
    expect(panel).to_be_hidden()
    row, column = map(int, re.findall(r"\d+", trail[-1]))
    cell = walk.cell("embeddings/E/all", row, column)
    expect(cell).to_be_focused()
    expect(cell).to_be_in_viewport()


def switch_the_causal_mask_on(walk):
    jump_to(walk, "Mask")
    mask = walk.stop("Mask").get_by_role("group", name="mask", exact=True)
    walk.tab_to(mask.get_by_role("radio", name="none"))
    with walk.redrawn():
        walk.press("ArrowRight")
    expect(mask.get_by_role("radio", name="causal")).to_be_focused()
    assert walk.number("mask/masked/0", 0, 1) == "−∞"
    assert walk.number("softmax/weights/0", 0, 1) == "0"
    assert "mask=causal" in walk.fragment


def edit_a_number(walk):
    jump_to(walk, "Embeddings")
    e = walk.stop("Input embeddings").get_by_role("grid", name=re.compile("^E "))
    # The grid remembers its current cell, which is the one that the walk down ended at.
    walk.tab_to(e.locator("td[tabindex='0']"))
    walk.press("Control+Home", "ArrowDown", "ArrowRight", "ArrowRight")
    walk.press("F2")
    field = e.get_by_role("textbox")
    expect(field).to_be_focused()
    assert field.input_value() == "1"
    walk.page.keyboard.type("9")
    walk.press("Escape")
    expect(field).to_be_hidden()
    cell = walk.cell("embeddings/E/all", 1, 2)
    expect(cell).to_be_focused()
    assert walk.number("embeddings/E/all", 1, 2) == "1.00"
    with walk.redrawn():
        walk.press("F2", "Control+a")
        walk.page.keyboard.type("-0.75")
        walk.press("Enter")
    expect(cell).to_be_focused()
    assert walk.number("embeddings/E/all", 1, 2) == "−0.75"
    assert walk.number("embeddings/embeddings_scaled/all", 1, 2) == "−1.50"


def undo_redo_and_reset(walk):
    for keys, shown in [
        ("Control+z", "1.00"),
        ("Control+y", "−0.75"),
        ("Control+z", "1.00"),
        ("Control+Shift+z", "−0.75"),
    ]:
        with walk.redrawn():
            walk.press(keys)
        assert walk.number("embeddings/E/all", 1, 2) == shown
    undo = walk.history("undo")
    walk.tab_to(undo, "Shift+Tab")
    with walk.redrawn():
        walk.press("Enter")
    assert walk.number("embeddings/E/all", 1, 2) == "1.00"
    expect(undo).to_be_focused()
    reset = walk.page.get_by_role("button", name="reset")
    walk.tab_to(reset, "Shift+Tab")
    with walk.redrawn():
        walk.press("Enter")
    assert walk.fragment == "example=the-dog-chased-the-cat"
    assert walk.number("mask/masked/0", 0, 1) != "−∞"


def change_the_words(walk):
    sentence = walk.page.get_by_role("group", name="the sentence")
    walk.tab_to(sentence.get_by_role("button", name="position 4, cat, edit"), "Shift+Tab")
    walk.press("Enter")
    expect(sentence.get_by_role("textbox", name="word at position 4")).to_be_focused()
    with walk.redrawn():
        walk.press("Control+a")
        walk.page.keyboard.type("mouse")
        walk.press("Enter")
    assert walk.words() == [*SENTENCE[:4], "mouse"]
    walk.tab_to(sentence.get_by_role("button", name="+ word"), most=3)
    walk.press("Enter")
    with walk.redrawn():
        walk.page.keyboard.type("quietly")
        walk.press("Enter")
    assert walk.words() == [*SENTENCE[:4], "mouse", "quietly"]
    assert any("“quietly” is new" in text for text in walk.messages())
    expect(sentence.get_by_role("button", name="position 5, quietly, edit")).to_be_focused()
    with walk.redrawn():
        walk.press("Alt+ArrowLeft")
    assert walk.words() == [*SENTENCE[:4], "quietly", "mouse"]
    expect(sentence.get_by_role("button", name="position 4, quietly, edit")).to_be_focused()
    with walk.redrawn():
        walk.press("Delete")
    assert walk.words() == [*SENTENCE[:4], "mouse"]
    expect(sentence.get_by_role("button", name="position 4, mouse, edit")).to_be_focused()


def look_at_the_script(walk):
    copy = walk.page.get_by_role("button", name="copy as Python")
    walk.tab_to(copy)
    walk.press("Enter")
    dialog = walk.page.get_by_role("dialog", name="These numbers, as Python")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_label("the script")).to_contain_text("import numpy as np")
    walk.tab_to(dialog.get_by_role("radio", name="NumPy"), most=10)
    walk.press("ArrowRight")
    expect(dialog.get_by_label("the script")).to_contain_text("import torch")
    walk.press("Escape")
    expect(dialog).to_be_hidden()
    expect(copy).to_be_focused()


def jump_to(walk, short):
    step = walk.page.get_by_role("navigation", name="steps of attention").get_by_role(
        "button", name=short, exact=True
    )
    walk.tab_to(step, "Shift+Tab")
    walk.press("Enter")


def test_a_wrong_text_in_a_cell_stays_with_one_sentence_until_it_is_mended(open_walk):
    walk = open_walk("example=three-words")
    walk.cell("embeddings/E/all", 0, 0).focus()
    walk.press("F2", "Control+a")
    walk.page.keyboard.type("1,5")
    walk.press("Enter")
    field = walk.matrix("embeddings/E/all").get_by_role("textbox")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    alert = walk.matrix("embeddings/E/all").get_by_role("alert")
    expect(alert).to_contain_text("“1,5” is not a number")
    with walk.redrawn():
        walk.press("Control+a")
        walk.page.keyboard.type("1.5")
        walk.press("Enter")
    expect(alert).to_be_hidden()
    assert walk.number("embeddings/E/all", 0, 0) == "1.50"


def test_every_matrix_is_one_stop_for_tab(open_walk):
    walk = open_walk("example=three-words")
    stops = walk.page.locator("table[role=grid]:has(tbody tr)").evaluate_all(
        "(grids) => grids.map((grid) => grid.querySelectorAll('[tabindex=\"0\"]').length)"
    )
    assert stops == [1] * len(stops)
    assert len(stops) > 20
