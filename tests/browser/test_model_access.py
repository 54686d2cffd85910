"""axe-core finds nothing in the part on real models, in light and dark, wide and narrow; tokens are never markup."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

AXE = (Path(__file__).parents[2] / "frontend/node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")
RUN = """
async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const { violations } = await axe.run('[data-stop=model]', { resultTypes: ['violations'] });
    return violations.flatMap(({ id, help, nodes }) => nodes.slice(0, 3).map((node) =>
        `${id}: ${help} — ${node.target.join(' ')} — ${node.failureSummary}`));
}
"""
LOOKS = [(theme, width) for theme in ("light", "dark") for width in (1400, 375)]
LONG = 60_000


def found(walk):
    walk.page.evaluate(f"() => {{ if (!window.axe) {{ {AXE} }} }}")
    return walk.page.evaluate(RUN)


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_axe_finds_nothing(open_walk, theme, width):
    options = {"color_scheme": theme, "viewport": {"width": width, "height": 900}, "reduced_motion": "reduce"}
    walk = open_walk("example=three-words&model=study&block=0&head=1&pins=2", **options)
    part = walk.stop("A real model")
    part.locator(".head-place .weight-map").wait_for(timeout=LONG)
    problems = {"a map": found(walk)}

    walk.choose(part.get_by_role("group", name="shown as").get_by_role("radio", name="lines"))
    part.get_by_text("All heads in numbers").click()
    walk.choose(part.get_by_role("group", name="each head shows").get_by_role("radio", name="entropy"))
    part.get_by_role("toolbar").get_by_role("button").nth(1).hover()
    problems["lines, and heads coloured by a number"] = found(walk)

    part.get_by_role("button", name="switch off", exact=True).click()
    expect(part.locator(".model-next thead")).to_contain_text("before", timeout=LONG)
    part.get_by_role("button", name="set this weight").click()
    problems["changed, and with a mistake"] = found(walk)

    part.get_by_role("button", name="follow it").click()
    part.get_by_role("button", name="walk through this head").click()
    part.locator(".model-walk figure.matrix").first.wait_for(timeout=LONG)
    expect(part.locator(".model-through").get_by_role("grid")).to_be_visible(timeout=LONG)
    part.locator(".model-walk td").first.click()
    walk.page.locator(".model-arithmetic section").wait_for()
    problems["worked, with a cell open"] = found(walk)
    assert {state: some for state, some in problems.items() if some} == {}
