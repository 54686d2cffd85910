"""From an edit to the redrawn page: Enter on a typed number, until the frame with the new numbers is drawn.

The page first redraws what is in the window, then the stops that are out of sight; both are measured.
"""

import argparse
import itertools
import statistics
import tempfile
from pathlib import Path

from page import chromium, server
from playwright.sync_api import Page
from table import print_table

TARGET = 50.0
"""Milliseconds, for the example with 12 tokens and width 16."""

WIDTH, HEADS = 16, 2

CLOCK = """
() => {
    window.taken = [];
    let from = 0, seen = 0;
    // The next frame shows what was drawn. A task of the highest priority comes right after its layout and paint,
    // before whatever the page has put off until then.
    const afterFrame = (run) =>
        requestAnimationFrame(() => scheduler.postTask(run, { priority: 'user-blocking' }));
    document.addEventListener('keydown', (event) => {
        if (event.key === 'Enter') from = event.timeStamp;
    }, { capture: true });
    // X is in the window with the edited cell: its new numbers come with all that is in sight.
    new MutationObserver(() => afterFrame(() => { seen = performance.now() - from; }))
        .observe(document.querySelector("figure[data-key='embeddings/X/all'] tbody"),
            { characterData: true, subtree: true });
    new MutationObserver(() => afterFrame(() => window.taken.push([seen, performance.now() - from])))
        .observe(document.body, { attributes: true, attributeFilter: ['data-drawn'] });
}
"""


def example(tokens: int) -> str:
    """An example file with as many words, d_model 16 and two heads; its numbers follow a rule and mean nothing."""

    def matrix(rows: int, columns: int, step: int) -> str:
        entries = [
            [((row * columns + column) * step % 41 - 20) / 40 for column in range(columns)]
            for row in range(rows)
        ]
        return "[" + ", ".join(str(row) for row in entries) + "]"

    words = [f"w{number}" for number in range(tokens)]
    matrices = [
        f"{name} = {matrix(WIDTH, WIDTH, step)}"
        for name, step in [("W_Q", 7), ("W_K", 11), ("W_V", 13), ("W_O", 17)]
    ]
    table = matrix(tokens, WIDTH, 19)[1:-1].replace("], ", "]\n").splitlines()
    rows = [f"{word} = {row}" for word, row in zip(words, table, strict=True)]
    head = [
        'title = "A measured example"',
        'look_for = "Nothing: the numbers follow a rule."',
        f"tokens = {words!r}",
        f"heads = {HEADS}",
    ]
    return "\n".join([*head, *matrices, "[E]", *rows]) + "\n"


def edit(page: Page, value: str) -> None:
    """Type a number into the first cell of E with the keyboard, and wait for the redrawn page."""
    before = page.evaluate("window.taken.length")
    page.locator("figure[data-key='embeddings/E/all'] tbody td").first.focus()
    page.keyboard.press("F2")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(value)
    page.keyboard.press("Enter")
    page.wait_for_function("(before) => window.taken.length > before", arg=before)


def measure(tokens: int, edits: int) -> list[tuple[float, float]]:
    """For each edit, the milliseconds until what is in sight is redrawn, and until the whole page is."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"measured-{tokens}.toml"
        file.write_text(example(tokens), encoding="utf-8")
        with chromium() as browser, server(str(file)) as address:
            page = browser.new_context(viewport={"width": 1400, "height": 900}).new_page()
            page.goto(address)
            page.locator("[data-drawn]").wait_for()
            page.evaluate(CLOCK)
            values = itertools.cycle(["0.5", "-0.25", "0.75", "1"])
            for _ in range(3):  # until the code of both sides is warm
                edit(page, next(values))
            page.evaluate("window.taken.length = 0")
            for _ in range(edits):
                edit(page, next(values))
            return [tuple(pair) for pair in page.evaluate("window.taken")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=40)
    edits = parser.parse_args().edits
    rows = []
    for tokens in (12, 64):
        taken = measure(tokens, edits)
        sight, page = ([pair[at] for pair in taken] for at in (0, 1))
        slow = sorted(sight)[int(0.9 * len(sight))]
        rows.append(
            [
                f"{tokens} tokens",
                *(f"{ms:.0f} ms" for ms in (statistics.median(sight), slow, statistics.median(page))),
                str(len(sight)),
            ]
        )
    print_table(["d_model 16, 2 heads", "in sight", "nine in ten", "whole page", "edits"], rows)
    print(f"\nmedian until what is in sight is redrawn, with 12 tokens: to stay under {TARGET:.0f} ms")


if __name__ == "__main__":
    main()
