"""Take the picture in the README anew: `python scripts/readme_picture.py`. Needs a built page and Debian's Chromium."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

from page import chromium, server  # type: ignore[import-not-found]  # noqa: E402  (the benchmarks have both ready)

STATE = "#example=the-dog-chased-the-cat&mask=causal&cell=weights:0:3:1"
PICTURE = ROOT / "docs" / "images" / "walkthrough.png"


def main() -> None:
    """Open the page at the softmax, with one weight opened, and keep what is in sight."""
    with server() as address, chromium() as browser:
        page = browser.new_page(viewport={"width": 1400, "height": 860}, color_scheme="light")
        page.goto(address + STATE)
        page.get_by_role("navigation", name="steps of attention").wait_for()
        page.locator("[data-drawn]").wait_for(state="attached")
        page.get_by_role("navigation", name="steps of attention").get_by_role(
            "button", name="Softmax"
        ).click()
        page.wait_for_timeout(1500)  # smooth scrolling has no event to wait for
        PICTURE.parent.mkdir(exist_ok=True)
        page.screenshot(path=PICTURE)


if __name__ == "__main__":
    main()
