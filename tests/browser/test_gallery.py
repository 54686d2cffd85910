"""The gallery looks as its stored pictures: every component in every state, in light and dark.

CLEARHEAD_RENEW_PICTURES=1 stores new pictures first. What differed is left in test-results/pictures/.
"""

import os
from pathlib import Path

import pytest
from PIL import Image

RENEW = os.environ.get("CLEARHEAD_RENEW_PICTURES") == "1"
LEFT = Path(__file__).parents[2] / "test-results" / "pictures"

NARROW = {
    "changed-with-the-difference",
    "full-precision",
    "gallery-head",
    "notices",
    "pipeline-bar",
    "softmax-three-steps-deep",
    "switches-and-buttons",
    "the-sentence-and-a-word-being-edited",
    "wide",
}
"""What arranges itself otherwise in a narrow window; the rest is there too, but only gets smaller."""

FAULTS = {
    "no colour behind the numbers": (
        "signed-numbers",
        ".matrix td { background-color: transparent !important }",
    ),
    "one cell without its colour": (
        "weights",
        ".matrix tr:nth-child(2) td:nth-child(3) { background-color: transparent !important }",
    ),
    "masked without hatching": ("masked-with-minus-infinity", ".matrix td { --hatching: none !important }"),
    "a masked zero without hatching": ("masked-with-0", ".matrix td { --hatching: none !important }"),
    "changed without its corner": ("changed", ".matrix td { --corner: none !important }"),
    "no frame around the opened cell": ("open", ".opened::after { border-color: transparent !important }"),
    "a light frame around the opened cell": ("open", ".opened::after { border-width: 1px !important }"),
    "no frame where it came from": ("it-came-from", ".source::after { border: 0 !important }"),
    "a whole frame where it goes": ("it-goes-into", ".feeds::after { border-style: solid !important }"),
    "positions without colour": ("weights", ".at-position { border-color: transparent !important }"),
    "numbers at the left": ("signed-numbers", ".matrix td { text-align: start !important }"),
    "rows 2 px higher": ("signed-numbers", ".matrix td { block-size: 2.05rem !important }"),
    "a table 8 px to the right": ("signed-numbers", ".matrix table { margin-inline-start: 8px !important }"),
    "a pressed switch that is not filled": (
        "switches-and-buttons",
        "input:checked + span { background: none !important; color: inherit !important }",
    ),
    "an error with the frame of a note": (
        "notices",
        ".notice.error { border: 1px solid var(--edge) !important; padding: 9px 17px !important }",
    ),
    "a title in the wrong family": ("gallery-head", ".page-title { font-family: var(--sans) !important }"),
    "small print in the size of text": ("legends", ".legends * { font-size: var(--size-3) !important }"),
    "the arithmetic without its frame": ("softmax-three-steps-deep", ".arithmetic { border: 0 !important }"),
}
"""Of each fault: the exhibit that shows it, and the rule that makes it."""

REPLACE_RULES = """
(rules) => {
    window.faults ??= new CSSStyleSheet();
    window.faults.replaceSync(rules);
    if (!document.adoptedStyleSheets.includes(window.faults))
        document.adoptedStyleSheets = [...document.adoptedStyleSheets, window.faults];
}
"""


@pytest.fixture
def open_gallery(open_walk, lettering, likeness):
    """Opens the gallery in a theme and a width, set in typefaces that every machine has."""

    def opened(theme, width=1400):
        page = open_walk(path="gallery", color_scheme=theme, viewport={"width": width, "height": 900}).page
        page.locator("figure.matrix").first.wait_for()
        likeness.arrange(page, {family: lettering.typeface(family) for family in lettering.WIDTHS})
        return page

    return opened


@pytest.mark.parametrize(("theme", "width"), [("light", 1400), ("dark", 1400), ("light", 375)])
def test_every_exhibit_looks_as_stored(open_gallery, likeness, theme, width):
    page = open_gallery(theme, width)
    new = {name: picture for name, picture in likeness.pictures(page) if width > 1000 or name in NARROW}
    folder = f"{theme}-{width}"
    if RENEW:
        likeness.store(new, folder)
    stored = {file.stem: Image.open(file) for file in (likeness.STORED / folder).glob("*.png")}
    differences = {}
    for name, picture in new.items():
        told = likeness.unlike(stored[name], picture) if name in stored else "has no stored picture"
        if told:
            likeness.leave(stored.get(name), picture, LEFT / folder, name)
            differences[name] = told
    assert differences == {}
    assert sorted(stored) == sorted(new), "a stored picture has no exhibit any more"


def test_no_exhibit_is_empty(open_gallery, likeness):
    """A blank component would be stored as faithfully as any other."""
    page = open_gallery("light")
    assert len(likeness.places(page)) == page.locator(likeness.EXHIBITS).count(), "two exhibits have one name"
    empty = page.locator(".exhibit").evaluate_all(
        """(exhibits) => exhibits.filter((exhibit) => exhibit.getBoundingClientRect().height < 30
            || exhibit.children.length < 2).map((exhibit) => exhibit.dataset.exhibit)"""
    )
    assert empty == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_fault_in_the_drawing_is_noticed(open_gallery, likeness, theme):
    page = open_gallery(theme)
    good = {name: likeness.coarse(picture) for name, picture in likeness.pictures(page)}
    other = {"light": "dark", "dark": "light"}[theme]
    wrong_theme = ("notices", f".clearhead {{ color-scheme: {other} !important }}")
    unnoticed = []
    for fault, (exhibit, rules) in {**FAULTS, "the other theme": wrong_theme}.items():
        page.evaluate(REPLACE_RULES, rules)
        if not likeness.unlike(good[exhibit], likeness.picture(page, exhibit)):
            unnoticed.append(fault)
    page.evaluate(REPLACE_RULES, "")
    still = {name: likeness.unlike(good[name], picture) for name, picture in likeness.pictures(page)}
    assert unnoticed == []
    assert set(still.values()) == {""}, "without a fault the pictures are alike"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_differs_between_machines_is_forgiven(open_gallery, likeness, lettering, theme):
    page = open_gallery(theme)
    good = {name: likeness.coarse(picture) for name, picture in likeness.pictures(page)}
    taller = {family: lettering.typeface(family, height=1.04) for family in lettering.WIDTHS}
    likeness.arrange(page, taller)
    page.evaluate(REPLACE_RULES, ".exhibit { transform: translate(0.4px, 0.3px) }")
    differences = {name: likeness.unlike(good[name], picture) for name, picture in likeness.pictures(page)}
    assert {name: told for name, told in differences.items() if told} == {}
