"""A report of the checker as a saved page: the verdict, both sides of each step, and the arithmetic of every number."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

import clearhead as ch


def softmax(x, axis=-1):
    with np.errstate(invalid="ignore"):
        e = np.exp(x - x.max(axis, keepdims=True))
        return e / e.sum(axis, keepdims=True)


def scored(q, k):
    return q @ k.swapaxes(-1, -2)


def right(q, k, v):
    return softmax(scored(q, k) / np.sqrt(q.shape[-1])) @ v


def unscaled(q, k, v):
    return softmax(scored(q, k)) @ v


def masked_late(q, k, v):
    seen = np.tril(np.ones((q.shape[-2], k.shape[-2])))
    return (softmax(scored(q, k) / np.sqrt(q.shape[-1])) * seen) @ v


def odd(q, k, v):
    return right(q, k, v) + q.mean()


def broken(q, k, v):
    raise RuntimeError("<b>no</b>")


@pytest.fixture(scope="module")
def reports():
    """By the names of their functions."""
    return {
        "right": ch.check(right),
        "unscaled": ch.check(unscaled),
        "masked_late": ch.check(masked_late, mask="causal"),
        "odd": ch.check(odd),
        "broken": ch.check(broken),
    }


@pytest.fixture
def open_report(open_walk, tmp_path):
    """Opens the page of a report from the disk."""

    def opened(report, fragment="", **options):
        file = ch.save_html(report, tmp_path / "page.html").path
        walk = open_walk("", server="about:blank", path="#", offline=True, **options)
        walk.page.goto(file.as_uri() + (f"#{fragment}" if fragment else ""))
        expect(walk.page.locator(".report > .notice")).to_be_visible()
        return walk

    return opened


def steps(walk):
    """How each step is marked."""
    tags = walk.page.locator(".report-step .tag").all_inner_texts()
    return [tag.split(" ", 1)[1] for tag in tags]


def test_the_verdict_leads_to_the_first_number_that_differs(open_report, reports):
    report = reports["unscaled"]
    walk = open_report(report)
    part = walk.page.get_by_role("region", name="Is this attention right?")
    expect(part.locator(".notice")).to_have_text("×does not agree: it leaves the scores undivided (no-scale)")
    expect(part).to_contain_text(report.asked)
    assert steps(walk) == ["the same", "the same", "the first step that differs", *["differs"] * 3]
    small = report.smallest
    label = f"scaled[{','.join(map(str, small.cell))}]"
    part.get_by_role("button", name=f"to the first number that differs: {label}").click()
    panel = walk.page.get_by_role("region", name=f"arithmetic of {label}")
    ours, true = (trace["scaled"].values[small.cell] for trace in (small.done, small.reference))
    expect(panel).to_contain_text("the reference, query")
    expect(panel.locator(".result-value")).to_have_text(f"{true:.2f}".replace("-", "−"))
    expect(panel.locator(".arithmetic-note")).to_have_text(f"yours has {ours:.2f} here".replace("-", "−"))
    expect(part.locator("td.opened")).to_be_in_viewport()
    place = walk.fragment
    assert place == f"cell=right.scaled:{':'.join(map(str, small.cell))}"
    walk.page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    rows = part.get_by_role("row").filter(has_text="no-scale")
    expect(rows).to_contain_text(report.found[0].mend)
    again = open_report(report, place)  # the address leads to it
    expect(again.page.get_by_role("region", name=f"arithmetic of {label}")).to_be_visible()
    expect(again.page.locator("td.opened")).to_be_in_viewport()


def test_a_number_of_yours_unfolds_from_yours(open_report, reports):
    report = reports["unscaled"]
    walk = open_report(report)
    page, done = walk.page, report.smallest.done
    walk.cell("report-yours/scaled/all", 1, 0).click()
    panel = page.get_by_role("region", name="arithmetic of scaled[1,0]")
    expect(panel.locator(".arithmetic-note")).to_contain_text("only its value is known")
    walk.cell("report-yours/weights/all", 1, 0).click()
    panel = page.get_by_role("region", name="arithmetic of weights[1,0]")
    expect(panel).to_contain_text("yours, query 1, key 0")
    terms = [f"{done['masked'].values[1, key]:.2f}".replace("-", "−") for key in (0, 1)]
    for key, term in enumerate(terms):
        expect(panel.get_by_role("button", name=re.compile(rf"masked\[1,{key}\]")).first).to_contain_text(
            term
        )
    panel.get_by_role(
        "button", name=re.compile(r"masked\[1,0\]")
    ).first.click()  # and on to what it came from
    expect(page.get_by_role("region", name="arithmetic of masked[1,0]")).to_contain_text("yours, query 1")
    assert page.locator("td.opened").locator("xpath=ancestor::figure").get_attribute("data-key") == (
        "report-yours/masked/all"
    )


def test_what_no_mistake_explains_shows_its_output_alone(open_report, reports):
    walk = open_report(reports["odd"])
    assert steps(walk) == ["the same", *["not known of yours"] * 4, "the first step that differs"]
    assert walk.page.get_by_text("Not known: of this function only the output can be seen.").count() == 4
    small = reports["odd"].smallest
    shown = [number for row in walk.numbers("report-yours/mixed/all") for number in row]
    assert shown == [f"{value:.2f}".replace("-", "−") for value in small.yours.flat]
    assert walk.page.get_by_role("table", name="The mistake").count() == 0


@pytest.mark.parametrize("name", ["right", "broken"])
def test_without_a_difference_there_is_the_verdict_alone(open_report, reports, name):
    report = reports[name]
    walk = open_report(report)
    sign = "✓" if report.agrees else "?"
    expect(walk.page.locator(".report > .notice")).to_have_text(sign + report.verdict)
    assert walk.page.locator(".report-step, .report button, .report b").count() == 0


@pytest.mark.parametrize("width", [1400, 375])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["masked_late", "odd", "broken"])
def test_axe_finds_nothing_and_nothing_lies_beside_the_window(open_report, reports, axe, name, theme, width):
    walk = open_report(reports[name], **axe.options(theme, width))
    judge = axe.Judge(walk.page, theme)
    judge.see("at rest")
    if reports[name].smallest:
        walk.page.get_by_role("button", name="to the first number that differs").click()
        judge.see("with the arithmetic of a cell", ".model-arithmetic")
        sides = walk.page.locator(".report-step.first .report-side")
        boxes = [sides.nth(at).bounding_box() for at in (0, 1)]
        assert (boxes[0]["y"] == boxes[1]["y"]) == (width == 1400)
    judge.finds_nothing()
    assert walk.overflow() <= 0
