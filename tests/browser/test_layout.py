"""The page fits its window, follows the reader, lies still where motion is unwelcome, and prints."""

import pytest
from playwright.sync_api import expect

import clearhead as ch

SEEN = """
([key, row, column]) => {
    const cell = document.querySelector(`figure[data-key="${key}"]`).querySelectorAll('tbody tr')[row]
        .querySelectorAll('td')[column];
    const box = cell.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return top !== null && cell.contains(top);
}
"""
CORNERS = [
    ("embeddings/X/all", -1, -1),
    ("scores/scores/0", 0, 0),
    ("scores/scores/0", -1, -1),
    ("softmax/weights/0", -1, 0),
    ("contribution/contribution/all", -1, -1),
    ("output/output/all", -1, -1),
]


@pytest.mark.parametrize("width", [375, 1400])
@pytest.mark.parametrize("example", ch.examples())
def test_the_page_is_no_wider_than_its_window(open_walk, example, width):
    walk = open_walk(f"example={example}", viewport={"width": width, "height": 800})
    assert walk.overflow() == 0
    walk.cell("softmax/weights/0", 1, 1).click()
    walk.page.get_by_role("region", name="arithmetic of weights[0,1,1]").wait_for()
    assert walk.overflow() == 0
    with walk.redrawn():
        walk.choose(walk.page.get_by_role("banner").get_by_role("radio", name="full"))
    assert walk.overflow() == 0


@pytest.mark.parametrize("width", [375, 1400])
def test_the_gallery_is_no_wider_than_its_window(open_walk, width):
    walk = open_walk(path="gallery", viewport={"width": width, "height": 800})
    walk.page.locator("figure.matrix").first.wait_for()
    assert walk.overflow() == 0


@pytest.mark.parametrize("width", [375, 1400])
def test_the_arithmetic_does_not_cover_the_cell_it_is_about(open_walk, width):
    walk = open_walk(viewport={"width": width, "height": 800}, reduced_motion="reduce")
    for key, row, column in CORNERS:
        cells = walk.matrix(key).locator("tbody tr").nth(row).get_by_role("gridcell")
        cell = cells.nth(column)
        # As low in the window as a cell can be, where a sheet from below would cover it.
        cell.evaluate(
            "(cell) => cell.scrollIntoView({ block: 'end', inline: 'nearest', behavior: 'instant' })"
        )
        cell.click()
        expect(cell).to_have_attribute("aria-selected", "true")
        place = [key, walk.matrix(key).locator("tbody tr").count() - 1 if row < 0 else row,
                 cells.count() - 1 if column < 0 else column]  # fmt: skip
        walk.page.wait_for_function(SEEN, arg=place)
        walk.page.keyboard.press("Escape")
        expect(walk.page.get_by_role("region", name="arithmetic of")).to_have_count(0)


@pytest.mark.parametrize("width", [375, 1400])
def test_the_pipeline_bar_stays_in_sight_and_follows_the_reader(open_walk, width):
    walk = open_walk(viewport={"width": width, "height": 800})
    pipeline = walk.page.get_by_role("navigation", name="steps of attention")
    expect(pipeline.get_by_role("button").last).to_have_text("Model")  # the parts come after the steps
    steps = pipeline.get_by_role("button").all_inner_texts()
    for number, stop in enumerate(walk.page.locator("[data-stop]").all()):
        stop.evaluate("(stop) => stop.scrollIntoView({ block: 'start', behavior: 'instant' })")
        current = pipeline.get_by_role("button", name=steps[number], exact=True)
        expect(current).to_have_attribute("aria-current", "step")
        expect(current).to_be_in_viewport()
    assert pipeline.locator("[aria-current]").count() == 1


def test_a_heading_is_not_hidden_under_the_bar_after_a_jump(open_walk):
    walk = open_walk(viewport={"width": 375, "height": 800}, reduced_motion="reduce")
    for step in walk.page.get_by_role("navigation", name="steps of attention").get_by_role("button").all():
        step.click()
        hidden = walk.page.evaluate(
            """() => {
                const heading = document.activeElement, box = heading.getBoundingClientRect();
                const top = document.elementFromPoint(box.x + 5, box.y + box.height / 2);
                return heading.localName !== 'h2' || !heading.contains(top);
            }"""
        )
        assert hidden is False, step.inner_text()


def test_with_reduced_motion_nothing_moves_by_itself(open_walk):
    walk = open_walk(reduced_motion="reduce")
    walk.page.get_by_role("navigation", name="steps of attention").get_by_role(
        "button", name="Output"
    ).click()
    # No frame passes between the jump and this question: the page is there at once.
    assert walk.page.evaluate(
        "Math.abs(document.querySelector('[data-stop=output]').getBoundingClientRect().top) < 150"
    )
    walk.open_cell("output/output/all", 1, 1, "output[1,1]")
    longest = walk.page.evaluate(
        """() => Math.max(...[...document.querySelectorAll('*')].flatMap((element) => {
            const style = getComputedStyle(element);
            return `${style.transitionDuration},${style.animationDuration}`.split(',').map(parseFloat);
        }))"""
    )
    assert longest <= 0.01
    assert walk.page.evaluate("document.getAnimations().length") == 0


def test_on_paper_there_are_the_matrices_and_nothing_to_press(open_walk):
    walk = open_walk(color_scheme="dark")
    walk.page.emulate_media(media="print")
    assert walk.page.locator("[data-stop] .stop-matrices figure.matrix").filter(visible=True).count() > 20
    expect(walk.page.get_by_role("heading", name="Output", exact=True)).to_be_visible()
    for role in ("button", "radio", "combobox"):
        pressable = walk.page.get_by_role(role).filter(visible=True)
        # The words of the sentence are buttons on the screen; on paper they are the sentence.
        shown = [
            one.inner_text() for one in pressable.all() if "chip" not in (one.get_attribute("class") or "")
        ]
        assert shown == []
    white = walk.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert white in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")
    assert walk.page.locator("figure.matrix td").first.evaluate("(td) => getComputedStyle(td).color") != white
    overflowing = walk.page.locator(".stop-matrices .matrix-box").evaluate_all(
        "(boxes) => boxes.filter((box) => getComputedStyle(box).overflowX !== 'visible').length"
    )
    assert overflowing == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_switch_overrules_the_system_and_is_remembered(open_walk, theme):
    other = {"light": "dark", "dark": "light"}[theme]
    walk = open_walk("example=three-words", color_scheme=other)
    background = "getComputedStyle(document.querySelector('figure.matrix')).colorScheme"
    walk.choose(walk.page.get_by_role("group", name="theme").get_by_role("radio", name=theme))
    assert walk.page.evaluate(background) == theme
    walk.page.reload()
    walk.page.locator("[data-drawn]").wait_for()
    assert walk.page.evaluate(background) == theme
    assert "theme" not in walk.fragment
