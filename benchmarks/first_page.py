"""From the command to a drawn page: `clearhead serve` is started, a Chromium that is open already loads the page."""

import argparse
import statistics
import time

from page import chromium, server
from table import print_table

STEPS = ("the command prints its address", "the page has loaded its script", "the walkthrough is drawn")


def measure(rounds: int) -> list[list[float]]:
    """For each round, the milliseconds from the command to each of the steps."""
    taken = []
    with chromium() as browser:
        for _ in range(rounds):
            context = browser.new_context(viewport={"width": 1400, "height": 900})
            page = context.new_page()
            started = time.perf_counter()
            with server() as address:
                listening = time.perf_counter()
                page.goto(address)
                loaded = time.perf_counter()
                page.locator("[data-drawn]").wait_for()
                # A frame later the picture is on the screen, not only in the document.
                page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
                drawn = time.perf_counter()
            taken.append([1000 * (now - started) for now in (listening, loaded, drawn)])
            context.close()
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    taken = measure(parser.parse_args().rounds)
    rows = []
    for step, times in zip(STEPS, zip(*taken, strict=True), strict=True):
        rows.append(
            [step, f"{statistics.median(times):.0f} ms", f"{min(times):.0f} ms", f"{max(times):.0f} ms"]
        )
    print_table(["from the command until", "median", "fastest", "slowest"], rows)


if __name__ == "__main__":
    main()
