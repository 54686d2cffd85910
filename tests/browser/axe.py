"""What axe-core finds on a page, and no more of it worked out than can have changed.

Most of the time goes into contrast: axe looks up what lies behind every letter. Everything else that it judges (names,
roles, order, sizes) is the same in light and dark. So a page is judged whole once in each width; in the dark, its
colours; and after a change that leaves most of the page alone, the colours of the part that came.
"""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

FILE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules that look at colours."""

RUN = """
async ([where, colours, which]) => {
    // What follows the size of an element, such as the focus of wide formulas, is done when a frame has been drawn.
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const rules = {
        all: {},
        colours: { runOnly: colours },
        others: { rules: Object.fromEntries(colours.map((rule) => [rule, { enabled: false }])) },
    }[which];
    const { violations } = await axe.run(where ?? document, { resultTypes: ['violations'], ...rules });
    return violations.flatMap(({ id, help, nodes }) => nodes.slice(0, 3).map((node) =>
        `${id}: ${help} — ${node.target.join(' ')} — ${node.failureSummary}`));
}
"""


def options(theme: str, width: int) -> dict[str, Any]:
    """How a page is opened to be judged."""
    return {"color_scheme": theme, "viewport": {"width": width, "height": 900}, "reduced_motion": "reduce"}


class Judge:
    """axe on one page; `within` is the selector of the part that is judged, by itself the whole page."""

    def __init__(self, page: Page, theme: str, within: str | None = None) -> None:
        self._page, self._dark, self._within = page, theme == "dark", within
        self._problems: dict[str, list[str]] = {}

    def see(self, state: str, new: str | None = None) -> None:
        """Judge the page in this state; `new` is the selector of all that looks otherwise than in a state before."""
        self._page.evaluate(f"() => {{ if (!window.axe) {{ {FILE.read_text(encoding='utf-8')} }} }}")
        if new is None:
            found = self._run(self._within, "colours" if self._dark else "all")
        else:
            assert self._page.locator(new).filter(visible=True).count() > 0, f"{state}: {new} is not there"
            found = self._run(new, "colours")
            if not self._dark:
                found += self._run(self._within, "others")
        if found:
            self._problems[state] = found

    def finds_nothing(self) -> None:
        assert self._problems == {}

    def _run(self, where: str | None, which: str) -> list[str]:
        return list(self._page.evaluate(RUN, [where, COLOURS, which]))
