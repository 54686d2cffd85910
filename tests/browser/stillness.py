"""A press goes to where a thing lies once all that came into sight with it has its true size.

Matrices out of sight are laid out with guessed heights (`content-visibility`). Playwright scrolls to what it presses,
looks up where that lies, and presses at once; what came into sight takes its size in the next frame, and a thing that
moves between the press and the release is not clicked, though nothing fails. A hand is slower than a frame. So each
thing is scrolled to first, and pressed when it lies still; and where it lies is told when it lies still.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from playwright.sync_api import Locator

PRESSES = ("click", "dblclick", "check", "uncheck", "set_checked", "hover")
LOOKS = ("bounding_box",)

LIES_STILL = """
async (element, toPress) => {
    const place = () => {
        const { left, top, width, height } = element.getBoundingClientRect();
        return { x: left + width / 2, y: top + height / 2 };
    };
    const inSight = ({ x, y }) => {
        const at = document.elementFromPoint(x, y);
        return at !== null && (element.contains(at) || at.contains(element));
    };
    let last = place(), still = toPress && inSight(last) ? 3 : 0;
    // What never comes to rest is left to Playwright, which tells it well.
    for (let frames = 0; still < 3 && frames < 120; frames += 1) {
        if (toPress) element.scrollIntoViewIfNeeded(true);
        await new Promise(requestAnimationFrame);
        const now = place();
        still = now.x === last.x && now.y === last.y ? still + 1 : 0;
        last = now;
    }
}
"""


def _when_still(act: Callable[..., Any], to_press: bool) -> Callable[..., Any]:
    @wraps(act)
    def acted(locator: Locator, *given: Any, **options: Any) -> Any:
        within = {"timeout": options["timeout"]} if "timeout" in options else {}
        locator.wait_for(**within)
        locator.evaluate(LIES_STILL, to_press, **within)
        return act(locator, *given, **options)

    return acted


def install() -> None:
    """From now on every press of a locator, and every look at where it lies, waits until it lies still."""
    for name in (*PRESSES, *LOOKS):
        setattr(Locator, name, _when_still(getattr(Locator, name), name in PRESSES))
