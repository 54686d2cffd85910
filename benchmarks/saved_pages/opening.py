"""A page opened from the disk in a browser of its own: seconds until it is drawn, and until a choice is answered.

By the page's own clock, two frames after it is so. What a page asks of a network is answered from the scripts at hand.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from page import chromium
from playwright.sync_api import Error, Page, Route

from saved_pages.peer import Picture, Step

CLOCK = """
const twoFramesAfter = (condition, say) => {
    const look = () => condition()
        ? requestAnimationFrame(() => requestAnimationFrame(() => console.log(say(performance.now()))))
        : requestAnimationFrame(look);
    look();
};
window.ask = (kind, condition) => {
    window.asked = undefined;
    addEventListener(kind, (event) => { window.asked = event.timeStamp; }, { capture: true, once: true });
    twoFramesAfter(() => asked !== undefined && condition(), (now) => `measured answered ${now - asked}`);
    return true;
};
"""

TAKEN = {"hover": "pointermove", "click": "pointerdown", "select": "change"}
"""The event at which a step begins."""


@dataclass(frozen=True)
class Opened:
    """Seconds, None for what did not happen; then why."""

    drawn: float | None = None
    answered: float | None = None
    why: str = ""


def opened(place: Path, picture: Picture, scripts: Mapping[str, Path], seconds: float) -> Opened:
    """Open a page once; each wait ends after so many seconds."""
    drawn, errors = None, list[str]()
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.set_default_timeout(seconds * 1000)
        page.on("pageerror", lambda error: errors.append(error.message))
        page.route(re.compile("^https?:"), answering(scripts))
        look = f"twoFramesAfter({picture.drawn}, (now) => `measured drawn ${{now}}`);"
        page.add_init_script(f"{picture.prepare}{CLOCK}{look}")
        try:
            drawn = measured(page, "drawn", lambda: page.goto(place.as_uri(), wait_until="commit"))
            *before, last = picture.steps
            for step in before:
                take(page, step)
            page.locator(last.selector).scroll_into_view_if_needed()
            page.wait_for_function(f"() => ask('{TAKEN[last.how]}', {picture.answered})")
            return Opened(drawn, measured(page, "answered", lambda: take(page, last)))
        except Error as error:
            crashed = "crashed" in str(error).lower()
            late = f"not within {seconds:.0f} s"
            return Opened(drawn, None, "; ".join(["the page crashed" if crashed else late, *errors[:1]]))


def measured(page: Page, what: str, begin: Callable[[], object]) -> float:
    """Do something; give the seconds that the page then says. It says so itself, as a page at work answers nothing."""
    with page.expect_console_message(lambda said: said.text.startswith(f"measured {what} ")) as heard:
        begin()
    return float(heard.value.text.split()[-1]) / 1000


def take(page: Page, step: Step) -> None:
    place = page.locator(step.selector)
    if step.how == "select":
        place.select_option(step.option)
    elif step.how == "hover":
        place.hover()
    else:
        place.click(force=step.under)


def answering(scripts: Mapping[str, Path]) -> Callable[[Route], None]:
    def answer(route: Route) -> None:
        name = route.request.url.rpartition("/")[2].partition("?")[0]
        if name in scripts:
            route.fulfill(path=scripts[name], content_type="text/javascript")
        else:
            route.abort()

    return answer
