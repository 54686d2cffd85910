"""axe-core finds nothing in the part on real models, in light and dark, wide and narrow; tokens are never markup."""

import pytest
from playwright.sync_api import expect

LOOKS = [(theme, width) for theme in ("light", "dark") for width in (1400, 375)]
LONG = 60_000


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_axe_finds_nothing(open_walk, axe, theme, width):
    walk = open_walk("example=three-words&model=study&block=0&head=1&pins=2", **axe.options(theme, width))
    part = walk.stop("A real model")
    part.locator(".head-place .weight-map").wait_for(timeout=LONG)
    judge = axe.Judge(walk.page, theme, within="[data-stop=model]")
    judge.see("a map")

    walk.choose(part.get_by_role("group", name="shown as").get_by_role("radio", name="lines"))
    part.get_by_text("All heads in numbers").click()
    walk.choose(part.get_by_role("group", name="each head shows").get_by_role("radio", name="entropy"))
    part.get_by_role("toolbar").get_by_role("button").nth(1).hover()
    judge.see("lines, and heads coloured by a number")

    part.get_by_role("button", name="switch off", exact=True).click()
    expect(part.locator(".model-next thead")).to_contain_text("before", timeout=LONG)
    part.get_by_role("button", name="set this weight").click()
    judge.see("changed, and with a mistake")

    part.get_by_role("button", name="follow it").click()
    part.get_by_role("button", name="walk through this head").click()
    part.locator(".model-walk figure.matrix").first.wait_for(timeout=LONG)
    expect(part.locator(".model-through").get_by_role("grid")).to_be_visible(timeout=LONG)
    part.locator(".model-walk td").first.click()
    walk.page.locator(".model-arithmetic section").wait_for()
    judge.see("worked, with a cell open")
    judge.finds_nothing()
