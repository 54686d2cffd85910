"""The gallery: every component in every state has a picture, in light and dark."""

import pytest


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_exhibit_is_drawn(open_walk, theme):
    walk = open_walk(path="gallery", color_scheme=theme)
    walk.page.locator("figure.matrix").first.wait_for()
    sections = walk.page.locator("main section.stop").all()
    assert len(sections) >= 5
    for section in sections:
        box = section.bounding_box()
        assert box["width"] > 300
        assert box["height"] > 100
        assert len(section.screenshot()) > 5_000  # a blank picture of this size is far smaller
    empty = walk.page.locator(".exhibit").evaluate_all(
        """(exhibits) => exhibits.filter((exhibit) => exhibit.getBoundingClientRect().height < 30
            || exhibit.children.length < 2).map((exhibit) => exhibit.dataset.exhibit)"""
    )
    assert empty == []


def test_light_and_dark_differ_in_every_section(open_walk):
    light, dark = (open_walk(path="gallery", color_scheme=theme) for theme in ("light", "dark"))
    for page in (light, dark):
        page.page.locator("figure.matrix").first.wait_for()
    grounds = [
        page.page.evaluate("getComputedStyle(document.body).backgroundColor") for page in (light, dark)
    ]
    assert grounds[0] != grounds[1]
    names = [
        page.page.locator(".exhibit").evaluate_all("(all) => all.map((one) => one.dataset.exhibit)")
        for page in (light, dark)
    ]
    assert names[0] == names[1]
    assert len(set(names[0])) == len(names[0])
