"""What a view does, in each notebook: the same steps in all of them. The tests of one notebook share it, in order."""

import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

import clearhead as ch

WEIGHTS, EMBEDDING = "softmax/weights/0", "embeddings/E/all"


def eventually(found: Callable[[], bool], says: Callable[[], Any]) -> None:
    """Wait until the notebook has caught up; a kernel answers in its own time."""
    until = time.monotonic() + 30
    while not found():
        assert time.monotonic() < until, says()
        time.sleep(0.1)


def test_a_view_shows_and_a_cell_opens_with_the_number_that_python_has(book: Any) -> None:
    view = book.view(0)
    panel = view.open_cell(WEIGHTS, 1, 0, "weights[0,1,0]")
    expect(panel.get_by_text("0.77").first).to_be_visible()
    number = ch.run("three-words")["weights"].values[0, 1, 0]
    eventually(lambda: book.value()["cell"] == {"name": "weights[0,1,0]", "number": number}, book.value)


def test_a_switch_recomputes_and_an_edit_reaches_value(book: Any) -> None:
    view = book.view(0)
    view.switch("mask", "causal")
    eventually(lambda: book.value()["settings"]["mask"] == "causal", book.value)
    expect(view.cell(WEIGHTS, 0, 2)).to_contain_text("0")
    view.edit(EMBEDDING, 0, 0, "7")
    edit = {"matrix": "E", "row": "cats", "column": 0, "value": 7}
    eventually(lambda: book.value()["edits"] == [edit], book.value)
    changed = ch.run(ch.load("three-words"), mask="causal")["weights"].values[0, 1, 0]
    eventually(lambda: book.value()["cell"]["number"] != changed, book.value)


def test_views_of_one_object_stay_in_step_and_another_is_left_alone(book: Any) -> None:
    before = book.value()
    book.view(1).switch("positions", "ALiBi")
    expect(book.view(2).choice("positions", "ALiBi")).to_be_checked()
    book.view(2).switch("heads", "2")
    expect(book.view(1).choice("heads", "2")).to_be_checked()
    assert book.value() == before


def test_the_notebook_s_keys_and_the_view_s_are_apart(book: Any) -> None:
    view, cells = book.view(0), book.count()
    view.open_cell(WEIGHTS, 1, 1, "weights[0,1,1]")
    for key in "ddabxmyzvr":
        book.page.keyboard.press(key)
    book.page.keyboard.press("Shift+Enter")
    assert book.count() == cells
    expect(view.arithmetic("weights[0,1,1]")).to_be_visible()
    book.leave_view()
    book.page.keyboard.press("Escape")
    expect(view.arithmetic("weights[0,1,1]")).to_be_visible()
    view.cell(WEIGHTS, 1, 1).focus()
    book.page.keyboard.press("Escape")
    expect(view.arithmetic("weights[0,1,1]")).to_be_hidden()


def test_the_theme_of_the_notebook_is_followed_until_one_is_chosen(book: Any) -> None:
    view = book.view(0)
    try:
        book.theme("dark")
        eventually(lambda: view.paper() == book.DARK, view.paper)
        view.switch_theme("light")
        assert view.paper() == book.LIGHT
    finally:
        view.switch_theme("auto")
        book.theme("light")
    eventually(lambda: view.paper() == book.LIGHT, view.paper)


def test_nothing_is_styled_and_nothing_asked_outside_of_the_view(book: Any) -> None:
    rules = "[...document.adoptedStyleSheets].flatMap((one) => [...one.cssRules])"
    ours = f"{rules}.filter((rule) => /clearhead/.test(rule.cssText))"
    assert book.page.evaluate(f"{ours}.length") == 0
    styles = "[...document.querySelectorAll('style')]"
    assert not book.page.evaluate(f"{styles}.some((one) => /clearhead/.test(one.textContent))")
    assert book.mistakes_of_ours() == []
    assert book.others() == set()


IDS = """() => {
    const ids = [];
    const collect = (root) => {
        for (const element of root.querySelectorAll("*")) {
            if (element.id && element.closest(".clearhead")) ids.push(element.id);
            if (element.shadowRoot) collect(element.shadowRoot);
        }
    };
    collect(document);
    return ids;
}"""


def test_views_share_no_ids(book: Any) -> None:
    ids = book.page.evaluate(IDS)
    views = book.page.locator(".clearhead").count()
    assert sum(one.startswith("example-") for one in ids) == views == 4  # one in each view
    assert len(set(ids)) == len(ids)


def test_a_step_is_led_to_within_the_view_and_the_notebook_stays(book: Any) -> None:
    view = book.view(0)
    place = view.root.locator("xpath=..")
    before = place.bounding_box()
    place.evaluate("(box) => box.scrollTo(0, 0)")
    view.root.locator(".walk-bar").get_by_role("button", name="Softmax", exact=True).click()
    scrolled = "(box) => box.scrollTop"
    eventually(lambda: place.evaluate(scrolled) > 1000, lambda: place.evaluate(scrolled))
    title = view.root.get_by_role("heading", name="Softmax: scores become weights")
    expect(title).to_be_in_viewport()
    assert place.bounding_box() == before


def test_a_view_survives_a_reload(book: Any) -> None:
    book.view(0).switch("mask", "causal")
    book.reload()
    view = book.view(0)
    expect(view.choice("mask", "causal" if book.keeps else "none")).to_be_checked()
    view.open_cell(WEIGHTS, 2, 0, "weights[0,2,0]")


def test_a_cell_that_runs_again_shows_a_view_that_lives(book: Any) -> None:
    book.run_all()
    book.ready()
    view = book.view(0)
    expect(view.choice("mask", "none")).to_be_checked()
    view.switch("mask", "causal")
    eventually(lambda: book.value()["settings"]["mask"] == "causal", book.value)
    expect(book.page.locator(".clearhead[data-drawn]")).to_have_count(3)  # a report has no words to draw


def test_a_report_shows_itself_and_leads_to_the_first_number_that_differs(book: Any) -> None:
    root = book.page.locator(".clearhead:has(.report)")
    root.scroll_into_view_if_needed()
    expect(root.locator(".report > .notice")).to_contain_text("it leaves the scores undivided (no-scale)")
    root.get_by_role("button", name="to the first number that differs").click()
    expect(root.locator(".model-arithmetic .arithmetic-place")).to_contain_text("the reference, query")
    expect(root.locator("td.opened")).to_be_in_viewport()
